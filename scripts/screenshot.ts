/**
 * Runs a few commands on a pseudo-terminal and renders their output. docs/terminal.svg shows the sandbox, docs/chat.svg
 * an answer in Markdown, docs/conversation.svg a conversation, and docs/progress.svg the progress of several pictures.
 * Needs bash, util-linux and tmux.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { encodePng } from "../src/core/pictures/encode.ts";
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

const replies = [
  {
    reasoning: "How the lens works: rings, weight, orders.",
    text: `A Fresnel lens is cut into rings, so it bends light like a **thick lens** and weighs far less.

| Order | Focal length | Used for |
|:------|-------------:|:---------|
| First | 920 mm | Landfall lights on the coast |
| Fourth | 250 mm | Harbours and river mouths |
`,
  },
  {
    text: `Between **14 and 19 nautical miles**, by its height:

1. 30 m above the sea: 14 nautical miles
2. 60 m: 19 nautical miles
`,
  },
];

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
  const port = portOf(server);
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
    // On a real terminal, this line disappears.
    terminalSvg(chatted.replace("Thinking\r\n", ""), chatColumns, "gpuctl drawing an answer in Markdown", {
      adapts: true,
    }),
  );
  writeFileSync(
    join(root, "docs/conversation.svg"),
    terminalSvg(await conversation(), chatColumns, "gpuctl in a conversation", { adapts: true }),
  );
  writeFileSync(
    join(root, "docs/progress.svg"),
    terminalSvg(await progress(), chatColumns, "gpuctl generating several pictures", { adapts: true }),
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** What a terminal shows while commands run. A line that sets the API key runs, but is not shown. */
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

function portOf(server: Server): number | undefined {
  const address = server.address();
  return typeof address === "object" ? address?.port : undefined;
}

/** What a terminal shows of a conversation in the sandbox. The replies come from `replies`. */
async function conversation(): Promise<string> {
  writeFileSync(join(home, "replies.json"), JSON.stringify(replies));
  const env = { GPUCTL_SANDBOX: "1" };
  await shown(["gpuctl sandbox chat script replies.json -q"], chatColumns, env);
  return inTmux(env, async (enter, screen) => {
    await enter("gpuctl chat --session lights --model sandbox-echo --usage", />>>$/);
    await enter("How does a lighthouse lens work?", /out\n\n>>>$/);
    await enter("How far can it be seen?", /60 m.*\n.*out\n\n>>>$/s);
    return screen();
  });
}

/**
 * What a terminal shows while six pictures are generated. The service sends the whole first picture and parts of
 * some others, and asks gpuctl to wait before the fourth.
 */
async function progress(): Promise<string> {
  const dot = { width: 1, height: 1, data: new Uint8ClampedArray(3) };
  const line = 'gpuctl image "a lighthouse at dusk" -n 6 --out pictures/';
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    if (requests === 4) {
      response.writeHead(429, { "Retry-After": "30" }).end("{}");
      return;
    }
    const bytes = requests === 1 ? encodePng(dot) : Buffer.alloc(requests === 2 ? 1_300_000 : 420_000);
    const picture = Buffer.from(bytes).toString("base64");
    response.writeHead(200, { "Content-Type": "application/json" });
    response.write(`{"images":[{"index":0,"image":"${picture}`);
    if (requests === 1) response.end('","random_seed":7}]}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const env = { GPUCTL_BASE_URL: `http://127.0.0.1:${portOf(server)}`, GPUCTL_API_KEY: "none" };
  try {
    return await inTmux(env, async (enter, screen) => {
      await enter(`clear; ${line}`, /MiB received {2}[3-9]s/);
      return `$ ${line}\n${await screen()}`;
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

type Enter = (line: string, shown: RegExp) => Promise<void>;

/** Runs `steps` in a shell in tmux. `enter` types a line and waits until the screen shows what is expected. */
async function inTmux(
  more: Readonly<Record<string, string>>,
  steps: (enter: Enter, screen: () => Promise<string>) => Promise<string>,
): Promise<string> {
  const run = promisify(execFile);
  const bin = join(home, "bin");
  mkdirSync(bin, { recursive: true });
  const launcher = `#!/bin/sh\nexec node ${quoted(join(root, "bin/gpuctl.js"))} "$@"\n`;
  writeFileSync(join(bin, "gpuctl"), launcher, { mode: 0o755 });
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    LANG: "C.UTF-8",
    GPUCTL_STATE_DIR: join(home, "state"),
    GPUCTL_CONFIG_DIR: join(home, "config"),
    ...more,
  };
  const tmux = (...args: string[]) =>
    run("tmux", ["-S", join(home, "tmux"), "-f", "/dev/null", ...args], { env, cwd: home });
  const screen = async (...flags: string[]) => (await tmux("capture-pane", "-p", ...flags)).stdout;
  const enter: Enter = async (line, shown) => {
    await tmux("send-keys", "-l", line);
    await tmux("send-keys", "Enter");
    while (!shown.test((await screen()).trimEnd())) await sleep(100);
  };
  await tmux("new-session", "-d", "-x", `${chatColumns}`, "-y", "40", "env", "PS1=$ ", "bash", "--norc");
  try {
    await enter("", /^\$/);
    await enter("clear", /^\$$/);
    return await steps(enter, () => screen("-e"));
  } finally {
    await tmux("kill-server");
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
