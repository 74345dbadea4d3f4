import { readFileSync } from "node:fs";
import { parse as parseToml } from "smol-toml";
import { expect, test } from "vitest";
import { permissions } from "../../src/mcp/permissions.ts";
import { createCli } from "../support/cli.ts";
import { blocksOf, readme } from "./readme-shell.ts";

const guide = readFileSync(new URL("../../docs/agents.md", import.meta.url), "utf8");

interface Server {
  readonly type?: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** Each configuration in the guide: the client that its heading names, and the parsed file. */
const configurations = guide
  .split(/^### /m)
  .slice(1)
  .flatMap((section) => {
    const [client = ""] = section.split("\n");
    const parsed = [
      ...blocksOf(section, "json").map((text) => JSON.parse(text)),
      ...blocksOf(section, "toml").map((text) => parseToml(text)),
    ];
    return parsed.map((file) => ({ client, file: file as Record<string, Record<string, Server>> }));
  });

test("each client has its configuration, under the key that it reads", () => {
  expect(configurations.map(({ client, file }) => [client, ...Object.keys(file)])).toEqual([
    ["Claude Desktop", "mcpServers"],
    ["Claude Code", "mcpServers"],
    ["Cursor", "mcpServers"],
    ["VS Code", "servers"],
    ["Codex", "mcp_servers"],
    ["Zed", "context_servers"],
    ["Gemini CLI", "mcpServers"],
  ]);
});

test.each(configurations)(
  "$client: one server only reads, and the other uses the sandbox",
  async ({ file }) => {
    const [servers = {}] = Object.values(file);
    expect(Object.keys(servers)).toEqual(["gpuctl", "gpuctl-sandbox"]);
    const cli = await createCli();
    for (const [name, { command, args }] of Object.entries(servers)) {
      expect(command).toBe("gpuctl");
      const { code, out, err } = await cli.run(args, { stdin: "" });
      expect({ code, out }, err).toEqual({ code: 0, out: "" });
      expect(err).toContain(
        name === "gpuctl"
          ? "allowed: read."
          : `serving the sandbox; allowed: read, ${permissions.join(", ")}.`,
      );
    }
  },
);

test("the guide names every permission, and the README links to it", () => {
  for (const permission of permissions) expect(guide).toContain(`--allow ${permission}`);
  expect(readme).toContain("(docs/agents.md)");
});
