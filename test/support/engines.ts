import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { asList, asRecord } from "../../src/core/json.ts";

/** A request that reached an engine. */
export interface EngineRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

type Respond = (request: EngineRequest, response: ServerResponse) => unknown;

/** A running engine, with the requests that it has received. */
export interface Engine {
  readonly url: string;
  readonly requests: EngineRequest[];
  /** Stops the engine, so that connections to its URL are refused. */
  readonly stop: () => Promise<void>;
}

/** How a server responds to each method and path, such as `GET /v1/models`. */
export type Routes = Readonly<Record<string, Respond>>;

/** An inference server whose routes are keyed by method and path. Anything else gets the 404 that FastAPI sends. */
export async function startEngine(routes: Routes): Promise<Engine> {
  const requests: EngineRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const request = { path: incoming.url ?? "", headers: incoming.headers, body: await bodyOf(incoming) };
    requests.push(request);
    const respond = routes[`${incoming.method} ${request.path}`];
    if (respond) return respond(request, response);
    return send(response, { detail: "Not Found" }, 404);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const stop = async () => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  onTestFinished(stop);
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`, requests, stop };
}

async function bodyOf(incoming: IncomingMessage): Promise<EngineRequest["body"]> {
  return incoming.method === "POST" ? asRecord(await json(incoming)) : {};
}

export function send(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/**
 * A chat server that responds as Ollama and llama.cpp do. A stream sends a token each time that `next` is called, and
 * ends when `end` is called.
 */
export async function chatEngine(models: readonly string[] = ["llama3.2:latest", "qwen3:8b"]) {
  const streams: ServerResponse[] = [];
  const opened = new EventTarget();
  const common = { id: "chatcmpl-871", created: 1_763_812_800, system_fingerprint: "fp_ollama" };
  const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
  const chunk = (delta: object, finish_reason: string | null = null) =>
    event({
      ...common,
      object: "chat.completion.chunk",
      model: models[0],
      choices: [{ index: 0, delta, finish_reason }],
    });
  const engine = await startEngine({
    "GET /v1/models": (_request, response) =>
      send(response, {
        object: "list",
        data: models.map((id) => ({ id, object: "model", created: 1_763_812_800, owned_by: "library" })),
      }),
    "POST /v1/chat/completions": ({ body }, response) => {
      const { model } = body;
      if (!models.some((one) => one.split(":")[0] === String(model).split(":")[0])) {
        const message = `model '${model}' not found`;
        const error = { message, type: "not_found_error", param: null, code: null };
        return send(response, { error }, 404);
      }
      if (body.stream !== true) {
        const message = { role: "assistant", content: "Hello from the engine." };
        const usage = { prompt_tokens: 26, completion_tokens: 5, total_tokens: 31 };
        const choices = [{ index: 0, message, finish_reason: "stop" }];
        return send(response, { ...common, object: "chat.completion", model, choices, usage });
      }
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
      response.flushHeaders();
      streams.push(response);
      return opened.dispatchEvent(new Event("stream"));
    },
  });
  /** The last stream, once there is one. */
  const stream = async (): Promise<ServerResponse> => {
    if (streams.length === 0) await once(opened, "stream");
    const last = streams.at(-1);
    if (last === undefined) throw new Error("no stream was opened");
    return last;
  };
  return {
    ...engine,
    stream,
    next: async (content: string) => (await stream()).write(chunk({ role: "assistant", content })),
    /** Writes a text unchanged. */
    write: async (text: string) => (await stream()).write(text),
    end: async () => (await stream()).end(`${chunk({ content: "" }, "stop")}data: [DONE]\n\n`),
    /** Breaks the connection. */
    cut: async () => (await stream()).destroy(),
  };
}

/** The base64 of a PNG with one pixel. */
export const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A picture server that responds as AUTOMATIC1111 and Forge do. It loads the requested model, if it has that model. */
export async function automaticEngine({ seed = 965_400_086 } = {}) {
  const checkpoints = ["v1-5-pruned-emaonly", "SDXL1.0-base"];
  const draw: Respond = ({ body }, response) => {
    if (body.sampler_name === "No such sampler") {
      const errors = "Sampler not found";
      return send(response, { error: "HTTPException", detail: errors, body: "", errors }, 404);
    }
    if (typeof body.steps !== "number" || body.steps < 1) {
      const detail = [{ loc: ["body", "steps"], msg: "value is not greater than 0", type: "value_error" }];
      return send(response, { detail }, 422);
    }
    const wanted = asRecord(body.override_settings).sd_model_checkpoint;
    const used = body.seed === -1 ? seed : body.seed;
    const info = {
      prompt: body.prompt,
      all_prompts: [body.prompt],
      seed: used,
      all_seeds: [used],
      sd_model_name: checkpoints.find((one) => one === wanted) ?? checkpoints[0],
      infotexts: [`${body.prompt}\nSteps: ${body.steps}, Seed: ${used}`],
    };
    // AUTOMATIC1111 sends `info` as a string of JSON.
    return send(response, { images: [pixel], parameters: body, info: JSON.stringify(info) });
  };
  return startEngine({
    "GET /sdapi/v1/sd-models": (_request, response) =>
      send(
        response,
        checkpoints.map((name) => ({
          title: `${name}.safetensors [6ce0161689]`,
          model_name: name,
          hash: "6ce0161689",
          sha256: null,
          filename: `/models/${name}.safetensors`,
          config: null,
        })),
      ),
    "GET /sdapi/v1/loras": (_request, response) =>
      send(
        response,
        ["Add_Detail", "pixel_art"].map((name) => ({
          name,
          alias: name,
          path: `/loras/${name}.safetensors`,
          metadata: {},
        })),
      ),
    "POST /sdapi/v1/txt2img": draw,
    "POST /sdapi/v1/img2img": draw,
  });
}

/** A picture server that responds as stable-diffusion.cpp does: one model, and LoRAs by the paths of their files. */
export async function sdcppEngine({ info = true } = {}) {
  const loras = [{ name: "Add_Detail", path: "detail/Add_Detail.safetensors" }];
  const draw: Respond = ({ body }, response) => {
    const unknown = asList(body.lora).find((one) => !loras.some(({ path }) => path === asRecord(one).path));
    if (unknown !== undefined) {
      return send(response, { error: `invalid lora path: ${asRecord(unknown).path}` }, 400);
    }
    const described = {
      prompt: body.prompt,
      seed: body.seed === -1 ? 42 : body.seed,
      sd_model_name: "model.gguf",
    };
    // Older versions leave `info` empty.
    return send(response, { images: [pixel], parameters: body, info: info ? JSON.stringify(described) : "" });
  };
  return startEngine({
    "GET /sdapi/v1/sd-models": (_request, response) =>
      send(response, [{ title: "model", model_name: "model", filename: "model.gguf", hash: "8888888888" }]),
    "GET /sdapi/v1/loras": (_request, response) => send(response, loras),
    "POST /sdapi/v1/txt2img": draw,
    "POST /sdapi/v1/img2img": draw,
  });
}

/** A WAV file with one second of silence in 24 kHz mono. Kokoro-FastAPI sends such a file when it does not stream. */
export function silentWav(): Buffer {
  const bytes = Buffer.alloc(44 + 48_000);
  bytes.write("RIFF", 0, "latin1");
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write("WAVEfmt ", 8, "latin1");
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(24_000, 24);
  bytes.writeUInt32LE(48_000, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write("data", 36, "latin1");
  bytes.writeUInt32LE(48_000, 40);
  return bytes;
}

/**
 * A speech server that responds as Kokoro-FastAPI does: with MP3, or with WAV if the request asks for WAV without a
 * stream, and with errors in `detail`.
 */
export async function speechEngine() {
  const models = ["tts-1", "tts-1-hd", "kokoro"];
  const voices = ["af_heart", "af_sky", "am_v0adam"];
  const mapped: Readonly<Record<string, string>> = { alloy: "am_v0adam" };
  const refuse = (response: ServerResponse, error: string, message: string) =>
    send(response, { detail: { error, message, type: "invalid_request_error" } }, 400);
  return startEngine({
    "GET /v1/models": (_request, response) =>
      send(response, {
        object: "list",
        data: models.map((id) => ({ id, object: "model", owned_by: "kokoro" })),
      }),
    "GET /v1/audio/voices": (_request, response) =>
      send(response, { voices: voices.map((id) => ({ id, name: id })) }),
    "POST /v1/audio/speech": ({ body }, response) => {
      const { model = "kokoro", voice = "af_heart", response_format = "mp3", stream = true } = body;
      if (!models.some((one) => one === model)) {
        return refuse(response, "invalid_model", `Unsupported model: ${model}`);
      }
      const name = mapped[String(voice)] ?? voice;
      if (!voices.some((one) => one === name)) {
        const available = voices.join(", ");
        return refuse(
          response,
          "validation_error",
          `Voice '${name}' not found. Available voices: ${available}`,
        );
      }
      const isWave = response_format === "wav" && stream === false;
      response.writeHead(200, { "content-type": isWave ? "audio/wav" : "audio/mpeg" });
      return response.end(isWave ? silentWav() : Buffer.from("ID3"));
    },
  });
}
