import { arg } from "../../../command-kit/arg.ts";
import { flag } from "../../../command-kit/flag.ts";
import { kebab } from "../../../command-kit/tree.ts";
import { asList, asRecord, asText, withoutUndefined } from "../../../core/json.ts";
import { engineKinds } from "../../../core/sandbox.ts";
import { controlCommand, engineColumns } from "../control.ts";

export default controlCommand({
  path: "sandbox engine set",
  summary: "Generate with an inference server of your own",
  details:
    "The sandbox passes chats, images or speech on to this server instead of generating them itself. A chat engine must have OpenAI's chat completions API (Ollama, llama.cpp, vLLM, LocalAI), an image engine must have the AUTOMATIC1111 API (Forge, KoboldCpp, stable-diffusion.cpp), and an audio engine must have OpenAI's speech API (Kokoro-FastAPI, LocalAI). gpuctl asks the server what it offers, and saves the engine even if the server does not respond. Your service API key (GPUCTL_API_KEY) is not sent to the server.",
  args: [
    arg.choice("KIND", "What the server generates", engineKinds, { required: true }),
    arg.text("URL", "URL of the server, with or without the path of its API", { required: true }),
  ],
  flags: {
    model: flag.text(
      "Model to use. For chat and images, it replaces the model of the request; for audio, it applies only if the request names no model. Without --model, a chat uses the model of the request or, if that is sandbox-echo, the first model that the server lists",
      { value: "NAME" },
    ),
    voice: flag.text("Voice of an audio engine, if a request has no voice", { value: "NAME" }),
    apiKeyEnv: flag.text("Environment variable that holds a key for the server; the key is not saved", {
      value: "VARIABLE",
    }),
  },
  view: { kind: "record", columns: engineColumns, id: ["kind"] },
  examples: [
    {
      text: "Chat with Ollama",
      command: "gpuctl sandbox engine set chat http://127.0.0.1:11434 --model llama3.2",
    },
    {
      text: "Draw with stable-diffusion.cpp, and print as JSON what it offers",
      command: "gpuctl sandbox engine set image http://127.0.0.1:1234 -o json",
    },
    {
      text: "Speak with Kokoro-FastAPI",
      command: "gpuctl sandbox engine set audio http://127.0.0.1:8880 --voice af_heart",
    },
  ],
  buildInput: ({ args: { kind, url }, flags: { model, voice, apiKeyEnv } }) => ({
    engine: withoutUndefined({ kind, url, model, voice, apiKeyEnv }),
  }),
  act: async ({ engines }, { input: { engine }, flags: { model }, say }) => {
    const found = asRecord(await engines.set(engine));
    const models = asList(found.models).map(asText);
    if (found.problem !== null) {
      say(`Saved, but the engine may not work. ${asText(found.problem)}`);
    } else if (model !== undefined && !models.some((one) => one === model || one.startsWith(`${model}:`))) {
      say(`Saved, but the server does not list ${model}. It lists ${some(models)}.`);
    } else {
      say(`Saved. The server lists ${some(models)}.`);
    }
    return found;
  },
  dryRun: (_control, { input: { engine } }) => engine,
  nameOf: ([field = ""]) => names[field] ?? `--${kebab(String(field))}`,
});

const names: Readonly<Record<string, string>> = { kind: "KIND", url: "URL" };

/** Returns the first few models, and how many more there are. */
function some(models: readonly string[]): string {
  const shown = 5;
  const more = models.length - shown;
  if (models.length === 0) return "no models";
  return models.slice(0, shown).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
