import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { isRecord } from "../core/json.ts";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Bytes of a chunk besides its data: length and type before, checksum after. */
const CHUNK_OVERHEAD = 12;

/** Offset of the `IEND` chunk of a complete PNG; undefined for any other file. Never throws. */
function endOf(png: Uint8Array): number | undefined {
  const file = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  let start = SIGNATURE.length;
  if (!file.subarray(0, start).equals(SIGNATURE)) return undefined;
  while (start + CHUNK_OVERHEAD <= file.length) {
    const next = start + CHUNK_OVERHEAD + file.readUInt32BE(start);
    if (next > file.length) return undefined;
    if (file.toString("latin1", start + 4, start + 8) === "IEND") return start;
    start = next;
  }
  return undefined;
}

/** Encodes a chunk. */
function chunk(type: string, data: Uint8Array): Buffer {
  const typeAndData = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const bytes = Buffer.alloc(typeAndData.length + 8);
  bytes.writeUInt32BE(data.length, 0);
  bytes.set(typeAndData, 4);
  bytes.writeUInt32BE(crc32(typeAndData), typeAndData.length + 4);
  return bytes;
}

/** `tEXt` for printable Latin-1, otherwise `iTXt`. PNG text cannot contain NUL, which becomes U+FFFD. */
function textChunk(keyword: string, text: string, type?: "iTXt"): Buffer {
  const safe = text.replaceAll("\0", "\ufffd");
  if (type === undefined && /^[\t\n\r\x20-\x7e\xa0-\xff]*$/.test(safe)) {
    return chunk("tEXt", Buffer.from(`${keyword}\0${safe}`, "latin1"));
  }
  // After the keyword: no compression, method 0, no language, no translated keyword.
  return chunk("iTXt", Buffer.from(`${keyword}\0\0\0\0\0${safe}`, "utf8"));
}

/**
 * Adds two texts to a PNG: the settings as `parameters`, and the request as JSON with its base64 `image` replaced by a
 * fingerprint. All other chunks are unchanged. An incomplete PNG or another file is returned unchanged.
 */
export function addPngText(
  png: Uint8Array,
  request: Readonly<Record<string, unknown>>,
  version: string,
): Uint8Array {
  const end = endOf(png);
  if (end === undefined) return png;
  const { image } = request;
  const kept = typeof image === "string" ? { ...request, image: fingerprint(image) } : request;
  const added = [
    textChunk("parameters", parametersText(request, version)),
    textChunk("gpuctl", JSON.stringify(kept), "iTXt"),
  ];
  return Buffer.concat([png.subarray(0, end), ...added, png.subarray(end)]);
}

/** SHA-256 of a base64 picture as `sha256:...`, which cannot be mistaken for base64. */
const fingerprint = (image: string): string =>
  `sha256:${createHash("sha256").update(image, "base64").digest("hex")}`;

/**
 * The settings of a picture (service.md 2.8) in the text format of AUTOMATIC1111 and compatible tools: the prompt with
 * its LoRAs, the negative prompt, and a line of values. Fields that are not set are left out.
 */
function parametersText(request: Readonly<Record<string, unknown>>, version: string): string {
  const { prompt, lora, negative_prompt: negative, width, height } = request;
  const loras = Object.entries(isRecord(lora) ? lora : {}).map(
    ([name, weight]) => `<lora:${name}:${weight}>`,
  );
  const values = {
    Steps: request.steps,
    Sampler: request.sampler || undefined,
    "CFG scale": request.cfg_scale,
    Seed: request.seed,
    Size: width === undefined || height === undefined ? undefined : `${width}x${height}`,
    Model: request.model_name,
    "Denoising strength": request.image === undefined ? undefined : request.strength,
    Version: version,
  };
  const lines = [
    [prompt ?? "", ...loras].filter((part) => part !== "").join(" "),
    ...(negative ? [`Negative prompt: ${negative}`] : []),
    Object.entries(values)
      .flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${quoted(String(value))}`]))
      .join(", "),
  ];
  return lines.join("\n");
}

const quoted = (value: string) => (/[,:\n]/.test(value) ? JSON.stringify(value) : value);
