/**
 * Runs all benchmarks one after another and writes their output to `bench/RESULTS.md`, with the machine and the
 * versions. Run it on an idle machine: `npm run bench:all`. It takes about five minutes after the build. The text
 * before the first result does not change.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem, type } from "node:os";
import { fileURLToPath } from "node:url";

const file = fileURLToPath(new URL("RESULTS.md", import.meta.url));
const marker = "<!-- results -->";

interface Benchmark {
  readonly title: string;
  /** The script and its arguments. */
  readonly script: readonly [string, ...string[]];
  readonly about: string;
}

const benchmarks: readonly Benchmark[] = [
  {
    title: "Start-up",
    script: ["startup.ts", "20"],
    about:
      "Median and quartiles of 20 rounds. The ratio is to `node -e 0` in the same round. `(binary)` is the single executable.",
  },
  {
    title: "Long lists",
    script: ["lists.ts", "5"],
    about:
      "Median and quartiles of 5 rounds, for 10 to 100,000 rentals. The ratio is to the processor time of `curl | jq .`.",
  },
  {
    title: "Pictures",
    script: ["pictures.ts", "10"],
    about: "Median and quartiles of 10 rounds. The ratio is to `curl`, which saves the response unchanged.",
  },
  {
    title: "Chat",
    script: ["chat.ts", "10"],
    about:
      "Median and quartiles of 10 rounds: the time to the first token, and the time to write up to 100,000 tokens to a pipe, compared with curl and the `openai` package.",
  },
  {
    title: "Batch",
    script: ["batch.ts", "10000"],
    about:
      "1,000 and 10,000 chats, compared with a bare loop over `node:http`. Also the check of 100,000 lines, and 200 pictures of 1 MB.",
  },
  {
    title: "Sandbox",
    script: ["sandbox.ts", "10", "1000", "10000", "50000"],
    about:
      "Requests to a served sandbox with 10 to 50,000 rentals. Their processor time is compared with a bare Hono server that sends the same JSON. If Prism is installed, the elapsed time of one of them is also compared with its mock server.",
  },
  {
    title: "Profiles",
    script: ["profiles.ts", "10"],
    about:
      "CPU profiles of cases that do not reach their goal, and of some others, with five samples in a millisecond. Each line is a share of the samples. `gpuctl:` names a file of the build.",
  },
];

async function output([script, ...args]: Benchmark["script"]): Promise<string> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", path, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    process.stdout.write(chunk);
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${script} exited with ${code}`);
  return Buffer.concat(chunks).toString();
}

const machine = [
  `${cpus().length} × ${cpus()[0]?.model.trim()}`,
  `${Math.round(totalmem() / 2 ** 30)} GiB`,
  `${type()} ${release()}`,
  `Node.js ${process.versions.node}`,
].join(", ");

/** The versions of the other programs that are installed. */
const versions = [
  "gh --version",
  "hcloud version",
  "curl --version",
  "jq --version",
  "npm --version",
  "prism --version",
]
  .flatMap((line) => {
    const [program = "", ...args] = line.split(" ");
    const [version] = /\d+(?:\.\d+)+/.exec(spawnSync(program, args, { encoding: "utf8" }).stdout ?? "") ?? [];
    return version === undefined ? [] : `${program} ${version}`;
  })
  .join(", ");

const [head = ""] = readFileSync(file, "utf8").split(marker);
const date = new Date().toISOString().slice(0, "YYYY-MM-DD".length);
const sections: string[] = [];
for (const { title, script, about } of benchmarks) {
  process.stdout.write(`\n${title}\n\n`);
  const started = performance.now();
  const text = await output(script);
  const seconds = Math.round((performance.now() - started) / 1000);
  sections.push(
    `## ${title}\n\n${about} \`npx tsx bench/${script.join(" ")}\`, ${seconds} s.\n\n\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`,
  );
  // The file is written after each benchmark, so that a failure of the next one loses nothing.
  writeFileSync(
    file,
    `${head}${marker}\n\nMeasured on ${date}: ${machine}. Compared with ${versions}.\n\n${sections.join("\n")}`,
  );
}
