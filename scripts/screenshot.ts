/**
 * Runs a few commands on a pseudo-terminal and renders their output: docs/terminal.svg shows the sandbox, and docs/chat.svg an
 * answer in Markdown. Requires bash and util-linux.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { terminalSvg } from "./terminal-svg.ts";

const columns = 112;
const commands = [
  "export GPUCTL_SANDBOX=1",
  "gpuctl rentals create vm --gpus 2 --gpu h200 --label trainer --wait -o id --yes -q",
  "gpuctl rentals create bare-metal --gpus 8 --network-type infiniband --wait -o id --yes -q",
  "gpuctl rentals list",
  "gpuctl rentals create vm --gpus 1 --max-burn 20 --yes",
  "gpuctl reserve convert 1001 --days 30 --expected-price 3369.60 --yes",
  'gpuctl image "a lighthouse at dusk" --seed 7 --out - > lighthouse.png',
];

const chatColumns = 80;
const reasoning = "They ask about memory. A 70B model in bf16 needs 140 GB.";
const answer = `## One GPU or two

A 70B model in **bf16** needs about *140 GB* for its weights, plus the KV cache. Quantised to \`fp8\`, it fits on one card. See [the guide](https://example.com/sizing).

| GPU | Memory | An hour | Fits |
|:----|-------:|--------:|:-----|
| H100 x2 | 160 GB | $4.20 | bf16 with a short context |
| H200 | 141 GB | $3.40 | **fp8**, and a long context |

1. Rent a machine: \`gpuctl rentals create vm --gpu h200\`
2. Start the server:

\`\`\`python
from vllm import LLM

llm = LLM(model="llama-70b", quantization="fp8")  # one GPU
print(llm.generate("Hello")[0].outputs[0].text)
\`\`\`

> Prices change: check them before you rent.
`;

const root = fileURLToPath(new URL("..", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "gpuctl-screenshot-"));

try {
  const rented = await shown(commands, columns, {});
  writeFileSync(
    join(root, "docs/terminal.svg"),
    terminalSvg(rented, columns, "gpuctl renting GPUs in its sandbox"),
  );
  const server = createServer((_request, response) => {
    const events = [
      { reasoning_content: reasoning },
      ...(answer.match(/\s*\S+\s*?/g) ?? []).map((content) => ({ content })),
    ];
    response.setHeader("Content-Type", "text/event-stream");
    for (const delta of events) response.write(`data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`);
    const usage = { prompt_tokens: 24, completion_tokens: 218 };
    response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const chat = ["export GPUCTL_API_KEY=none", 'gpuctl chat "Which GPU for a 70B model?" --usage'];
  const profile = [
    "gpuctl config set chat.model llama-70b -q",
    "gpuctl config set chat.prices llama-70b=0.60/2.40 -q",
  ];
  await shown(profile, chatColumns, {});
  const chatted = await shown(chat, chatColumns, { GPUCTL_BASE_URL: `http://127.0.0.1:${port}` });
  server.close();
  writeFileSync(
    join(root, "docs/chat.svg"),
    // On a terminal of a person, this line disappears.
    terminalSvg(chatted.replace("Thinking\r\n", ""), chatColumns, "gpuctl drawing an answer in Markdown", {
      adapts: true,
    }),
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** What a terminal shows of some commands; those that only prepare the others are left out. */
async function shown(
  lines: readonly string[],
  width: number,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const session = [
    `stty cols ${width}`,
    `gpuctl() { node ${JSON.stringify(join(root, "bin/gpuctl.js"))} "$@"; }`,
    ...lines.flatMap((line) =>
      line.includes("API_KEY") ? [line] : [`printf '%s\\n' ${quoted(`$ ${line}`)}`, line],
    ),
  ].join("\n");
  writeFileSync(join(home, "session.sh"), session);
  const { stdout } = await promisify(execFile)("script", ["-qec", "bash session.sh", "/dev/null"], {
    cwd: home,
    encoding: "utf8",
    env: {
      PATH: process.env.PATH,
      TERM: "xterm-256color",
      CI: "1",
      GPUCTL_STATE_DIR: join(home, "state"),
      GPUCTL_CONFIG_DIR: join(home, "config"),
      ...env,
    },
  });
  return stdout.replace(/\x1b\[(?![\d;]*m)[?\d;]*[A-Za-z]/g, "");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
