import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { isRecord } from "../core/json.ts";
import { endOfPng } from "./truncated.ts";

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
  const end = endOfPng(png);
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
