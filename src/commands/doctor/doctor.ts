import type { Context } from "../../context/context.ts";
import { reasonOf, Unhealthy } from "../errors.ts";
import type { Verb } from "../spec.ts";
import { checks } from "./checks/all.ts";
import { type Check, type Checked, type Examined, type Finding, failure } from "./finding.ts";
import { reportText } from "./report.ts";

/** Milliseconds that an answer is waited for. */
const patience = 5_000;

export const verb: Verb<object> = {
  run: async (_input, context) => {
    const examined = examinedOf(context);
    const found = await context.progress("Looking", () =>
      Promise.all(
        Object.entries(checks).map(
          async ([check, look]): Promise<Checked> => ({ check, ...(await finding(look, examined)) }),
        ),
      ),
    );
    const failures = found.filter(({ status }) => status === "failure");
    if (context.settings.output === "table") {
      return { text: reportText(found, context.installation), exitCode: failures.length > 0 ? 1 : 0 };
    }
    if (failures.length > 0) throw new Unhealthy(found, failures.length);
    return { data: found };
  },
};

/** A check that breaks has found something. */
async function finding(look: Check, examined: Examined): Promise<Finding> {
  try {
    return await look(examined);
  } catch (error) {
    return failure(reasonOf(error), "--debug shows more.");
  }
}

function examinedOf({ call, installation, settings, now, completionScript }: Context): Examined {
  const brief = { retries: 0, timeout: { compute: patience, inference: patience } };
  const ask: Examined["ask"] = (id, input) => call(id, input, brief);
  return {
    ...installation,
    settings,
    now,
    completionScript,
    ask,
    description: once(() => ask("getOpenApiDocument", {})),
    host: once(() => installation.knock(String(settings.baseUrl), patience)),
  };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
