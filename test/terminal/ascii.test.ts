import { describe, expect, it } from "vitest";
import { createHome } from "../support/process.ts";
import { sample } from "../support/thorough.ts";

const symbols = (bytes: string): readonly string[] => [...new Set(bytes.match(/[^\p{ASCII}]/gu) ?? [])];

describe.skipIf(process.platform === "win32").each(sample(["LC_ALL", "LANG"], 0))(
  "with %s=C, only ASCII is drawn",
  (name) => {
    const env = { [name]: "C" };

    it("by a list of choices", async () => {
      const home = await createHome(env);
      const terminal = home.onTerminal("setup");
      await terminal.waitFor("Name of the profile");
      terminal.press("enter");
      await terminal.waitFor("Where is the service?");
      await terminal.waitFor("An account with");
      terminal.press("down", "enter");
      await terminal.waitFor("Region");
      terminal.press("ctrl-c");
      expect((await terminal.ended()).code).toBe(130);
      expect(symbols(terminal.bytes())).toEqual([]);
    });

    it("by spinners, marks, and tables that do not fit", async () => {
      const home = await createHome(env);
      const label = "a-label-that-is-too-long-for-a-narrow-terminal";
      const create = home.onTerminal(`rentals create vm --gpus 1 --label ${label} --yes --wait --sandbox`);
      await create.ended();
      expect(symbols(create.bytes())).toEqual([]);
      for (const line of [
        "rentals list --sandbox",
        "doctor --sandbox",
        "rentals create vm --sandbox --no-input",
      ]) {
        const terminal = home.onTerminal(line, { columns: 40 });
        await terminal.ended();
        expect(terminal.text()).not.toBe("");
        expect(symbols(terminal.bytes())).toEqual([]);
      }
    });

    it("in a pipe, except for characters in data", async () => {
      const home = await createHome(env);
      expect(symbols((await home.run("doctor --sandbox")).out)).toEqual([]);
      const { out } = await home.run(["chat", "naïve…", "--sandbox"]);
      expect(out).toContain("naïve…");
    });
  },
);
