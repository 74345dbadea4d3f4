interface WavOptions {
  readonly rate?: number;
  readonly channels?: number;
  readonly bits?: number;
  /** `before`: chunks between the format and the samples. `after`: chunks after the samples. */
  readonly before?: readonly Buffer[];
  readonly after?: readonly Buffer[];
  /** The size that the headers of the file and of its `data` chunk state. Default: their correct sizes. */
  readonly size?: number;
  /** The format tag. 0xfffe also adds the extension, with the sub-format PCM. */
  readonly tag?: number;
}

/** A chunk of a RIFF file, padded to an even length. */
export function riffChunk(id: string, data: Uint8Array, size = data.length): Buffer {
  const header = Buffer.alloc(8, id, "latin1");
  header.writeUInt32LE(size, 4);
  return Buffer.concat([header, data, Buffer.alloc(data.length % 2)]);
}

/** A RIFF/WAVE file with these bytes as its samples. By default they are 16-bit mono PCM at 8000 Hz. */
export function wav(samples: Uint8Array, options: WavOptions = {}): Buffer {
  const { rate = 8000, channels = 1, bits = 16, before = [], after = [], size, tag = 1 } = options;
  const block = (channels * bits) / 8;
  const format = Buffer.alloc(tag === 1 ? 16 : tag === 0xfffe ? 40 : 18);
  format.writeUInt16LE(tag, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(rate, 4);
  format.writeUInt32LE(rate * block, 8);
  format.writeUInt16LE(block, 12);
  format.writeUInt16LE(bits, 14);
  if (tag === 0xfffe) {
    format.writeUInt16LE(22, 16);
    format.writeUInt16LE(bits, 18);
    Buffer.from("0100000000001000800000aa00389b71", "hex").copy(format, 24);
  }
  const chunks = [riffChunk("fmt ", format), ...before, riffChunk("data", samples, size), ...after];
  const content = Buffer.concat([Buffer.from("WAVE"), ...chunks]);
  return riffChunk("RIFF", content, size);
}

/** The samples of a file that `wav` or gpuctl wrote without other chunks. */
export const samplesOf = (file: Buffer): Buffer => {
  const at = file.indexOf("data");
  return file.subarray(at + 8, at + 8 + file.readUInt32LE(at + 4));
};

/** An MP3 frame, by default MPEG-1 layer III, 128 kbit/s, 44100 Hz, mono. Its data repeats the byte `fill`. */
export function mp3Frame(fill: number, { tag = "", header = "fffb90c4" } = {}): Buffer {
  const frame = Buffer.alloc(417, fill);
  Buffer.from(header, "hex").copy(frame);
  if (tag !== "") frame.write(tag, 4 + 17, "latin1");
  return frame;
}

export const id3v2 = (length: number): Buffer =>
  Buffer.concat([
    Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, length >> 7, length & 127]),
    Buffer.alloc(length),
  ]);
export const id3v1 = Buffer.alloc(128, "TAG", "latin1").fill(0, 3);
export const apeTag = Buffer.concat([
  Buffer.from("APETAGEX"),
  Buffer.from([0xd0, 7, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80]),
  Buffer.alloc(8),
  Buffer.alloc(8, 1),
  Buffer.from("APETAGEX"),
  Buffer.from([0xd0, 7, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80]),
  Buffer.alloc(8),
]);
