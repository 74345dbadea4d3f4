import { once } from "node:events";
import { mkdtemp, readFile, rename, writeFile } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createCli } from "./cli.ts";
import { addProgram, createHome, type Environment, type Home } from "./process.ts";

/**
 * A home whose `gpuctl` runs in the process of the tests, with a sandbox in memory and a clock that advances only when
 * gpuctl waits. A command takes a fraction of the time that it would take in a process of its own. Output is written
 * when a command ends, signals do not reach gpuctl, and the current folder must be the home. Needs bash.
 * @param processes shell patterns: a command line that matches one of them still runs in a process of its own
 */
export async function createMemoryHome(
  env: Environment = {},
  processes: readonly string[] = [],
): Promise<Pick<Home, "folder" | "run" | "shell">> {
  const home = await createHome(env);
  const cli = await createCli({ folder: home.folder });
  const server = createServer((socket) => void serve(socket).catch(() => socket.destroy()));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const program = join(home.folder, "bin", "gpuctl");
  await rename(program, `${program}-process`);
  await addProgram(home.folder, "gpuctl", client(port, processes), "bash");

  /** Runs the command line that a client sends, and sends back the folder that contains the output. */
  async function serve(socket: Socket): Promise<void> {
    const folder = await mkdtemp(join(home.folder, ".run-"));
    const { cwd, line, env } = await received(socket);
    const stdin = async () => {
      const written = once(socket, "data");
      socket.write(`input ${folder}\n`);
      await written;
      return readFile(join(folder, "in"));
    };
    const run = async () => {
      if (cwd !== home.folder) throw new Error(`gpuctl was run in ${cwd}, not in its home`);
      return cli.run(line, { env, stdin });
    };
    const { code, bytes, err } = await run().catch((error) => ({ code: 1, bytes: "", err: String(error) }));
    await writeFile(join(folder, "out"), bytes);
    await writeFile(join(folder, "err"), err);
    socket.end(`end ${code} ${folder}\n`);
  }

  return {
    folder: home.folder,
    shell: home.shell,
    run: (line, options) => home.run(line, { ...options, command: [program] }),
  };
}

/**
 * Reads what a client sends: the current folder and the arguments, each after a plus sign, and then the environment
 * variables. Each of these values ends with a zero byte. One more zero byte marks the end of the message.
 */
async function received(socket: Socket) {
  const values = (await textUpTo(socket, "\0\0")).slice(0, -2).split("\0");
  const [cwd = "", ...line] = values.filter((value) => value.startsWith("+")).map((value) => value.slice(1));
  const variables = values.filter((value) => !value.startsWith("+"));
  const env = Object.fromEntries(
    variables.map((variable) => {
      const at = variable.indexOf("=");
      return [variable.slice(0, at), variable.slice(at + 1)];
    }),
  );
  return { cwd, line, env };
}

/** The text that arrives, up to and including `end`. */
const textUpTo = (socket: Socket, end: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
      if (text.endsWith(end)) resolve(text);
    });
    socket.once("error", reject).once("close", () => reject(new Error("the client has ended")));
  });

/** A program that sends its command line to a port, and its input when the server asks for it. */
const client = (port: number, processes: readonly string[]): string => `case "$*" in
  ${processes.length === 0 ? "''" : processes.map((pattern) => pattern.replaceAll(" ", "\\ ")).join(" | ")}) exec gpuctl-process "$@" ;;
esac
exec 3<> /dev/tcp/127.0.0.1/${port}
{ printf '+%s\\0' "$PWD" "$@"; env -0; printf '\\0'; } >&3
while read -r what first second <&3; do
  case $what in
    input) cat > "$first/in"; echo >&3 ;;
    end) cat "$second/out"; cat "$second/err" >&2; exit "$first" ;;
  esac
done
exit 1`;
