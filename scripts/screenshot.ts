/** Runs a few commands in the sandbox on a pseudo-terminal and renders their output as docs/terminal.svg. Requires bash and util-linux. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
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

const root = fileURLToPath(new URL("..", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "gpuctl-screenshot-"));
const session = [
  `stty cols ${columns}`,
  `gpuctl() { node ${JSON.stringify(join(root, "bin/gpuctl.js"))} "$@"; }`,
  ...commands.flatMap((line) => [`printf '%s\\n' ${quoted(`$ ${line}`)}`, line]),
].join("\n");

try {
  writeFileSync(join(home, "session.sh"), session);
  const seen = execFileSync("script", ["-qec", "bash session.sh", "/dev/null"], {
    cwd: home,
    encoding: "utf8",
    env: {
      PATH: process.env.PATH,
      TERM: "xterm-256color",
      CI: "1",
      GPUCTL_STATE_DIR: join(home, "state"),
      GPUCTL_CONFIG_DIR: join(home, "config"),
    },
  });
  const shown = seen.replace(/\x1b\[(?![\d;]*m)[?\d;]*[A-Za-z]/g, "");
  writeFileSync(
    join(root, "docs/terminal.svg"),
    terminalSvg(shown, columns, "gpuctl renting GPUs in its sandbox"),
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
