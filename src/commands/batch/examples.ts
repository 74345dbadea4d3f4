const line = (id: string, url: string, body: object): string =>
  `${JSON.stringify({ custom_id: id, method: "POST", url, body })}\\n`;

const hello = { model: "sandbox-echo", messages: [{ role: "user", content: "Hello" }] };
const ready = { text: "Your GPU is ready." };

/** Writes requests.jsonl, a file of two requests. */
export const exampleInput = `printf '${line("1", "/v1/chat/completions", hello)}${line("2", "/v1/audio/generation", ready)}' > requests.jsonl`;

/** Writes prompts.txt, a file of two prompts. */
export const examplePrompts = "printf 'A lighthouse at dusk\\nA fox in the snow\\n' > prompts.txt";

/** Runs a batch of two requests. */
export const exampleOutput = [
  exampleInput,
  "gpuctl batch run requests.jsonl --out answers.jsonl --sandbox",
] as const;

const exampleShard = (index: number): string =>
  `gpuctl batch run --prompts prompts.txt --endpoint chat --model sandbox-echo --out answers.jsonl --shard ${index}/2 --sandbox`;

/** Runs both shards of a batch. */
export const exampleShards = [examplePrompts, exampleShard(0), exampleShard(1)] as const;
