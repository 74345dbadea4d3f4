import { fileURLToPath } from "node:url";
import { execa } from "execa";

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** What real bash offers at the end of a command line, with the committed script. `=` is a word of its own there. */
export async function offered(line: string, cwd = pathOf(".")): Promise<readonly string[]> {
  const words = line.split(/ +|(=)/).filter((word) => word !== undefined);
  const parts = [pathOf("complete.bash"), pathOf("../../completions/gpuctl.bash"), ...words];
  const { stdout } = await execa("bash", ["--norc", "--noprofile", ...parts], { cwd });
  return stdout.split("\n").filter((word) => word !== "");
}
