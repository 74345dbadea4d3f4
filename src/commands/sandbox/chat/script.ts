import { arg } from "../../../command-kit/arg.ts";
import { replyHeader } from "../../../core/sandbox.ts";
import { controlCommand, readText, replyColumns } from "../control.ts";

export default controlCommand({
  path: "sandbox chat script",
  summary: "Script the sandbox's chat replies",
  details: `The file is a list of replies in YAML, JSON or JSON Lines. It replaces the previous script, and an invalid file changes nothing. Each request gets the first matching reply that is not used up; the response header ${replyHeader} has the reply's index. The script replies for every model, and a request that matches no reply gets 400.
By default, a reply without "when" is used up after one request, and a reply with "when" is never used up. "when" can match the text of the last user message, the result of a tool (if that is the last message) and the model. "times" sets how many requests a reply is sent to before it is used up: a number, or "always":
  {"when": {"message": "weather"}, "text": "Sunny"}
  {"when": {"message": {"pattern": "^hi", "flags": "i"}}, "text": "Hi"}
  {"when": {"toolResult": "21", "model": "small"}, "times": 2, "text": "21 C"}
The common fields of a reply (fields whose names end in Ms are in milliseconds):
  {"text": "Hello", "firstTokenMs": 200, "betweenTokensMs": 20}
  {"json": {"city": "Oslo"}, "usage": {"total_tokens": 12}}
  {"toolCalls": [{"name": "weather", "arguments": {"city": "Oslo"}}]}
  {"reasoning": "Hmm.", "text": "4", "finishReason": "length"}
  {"error": {"status": 429, "message": "Slow", "retryAfterSeconds": 2}}
  {"text": "Half an", "streamError": {"message": "Failed", "form": "event"}}
  {"text": "Half an", "cut": true}
"form" is how a "streamError" is sent: "chunk" (JSON in a data chunk), "event" (JSON in an event named error) or "text" (the message, followed by the JSON).`,
  args: [arg.text("FILE", "File with the script; - reads stdin", { required: true })],
  view: { kind: "list", columns: replyColumns, empty: "No replies.", id: ["index"] },
  examples: [
    {
      text: "Reply once",
      command: `printf '[{"text": "Hello"}]' | gpuctl sandbox chat script -`,
    },
    {
      text: "Reply to messages about GPUs, and fail otherwise",
      command: `printf '{"when": {"message": "GPU"}, "text": "An H100"}\\n{"error": {"status": 503}, "times": "always"}\\n' | gpuctl sandbox chat script -`,
    },
  ],
  buildInput: async ({ args: { file }, files }) => ({ text: await readText(file, files) }),
  act: ({ chatScript }, { input: { text } }) => chatScript.load(text),
  dryRun: ({ chatScript }) => chatScript.show(),
  nameOf: (path, { args: { file } }) => (path.length === 0 ? file : path.join(".")),
});
