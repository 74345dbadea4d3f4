import { save } from "../../../media/save.ts";
import { nothingDone } from "../../shared/dry-run.ts";
import type { Verb } from "../../spec.ts";

export const verb: Verb<object> = {
  run: async (_input, { sandbox, settings, files, say }, { words, flags }) => {
    const file = String(words.FILE ?? "");
    const bytes = Buffer.from(`${JSON.stringify((await sandbox()).snapshot())}\n`);
    if (file === "-") return { bytes };
    const path = files.resolve(file);
    if (settings.dryRun) say(nothingDone);
    else await save(path, bytes, { force: flags.force === true, noOtherName: true });
    return { data: { path, bytes: bytes.length } };
  },
};
