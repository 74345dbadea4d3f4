import { ServiceError } from "../../../client/errors.ts";
import { reasonOf } from "../../errors.ts";
import { type Check, failure, ok, remote, warning } from "../finding.ts";

/** There is a key, and the service accepts it. */
export const key: Check = (examined) => {
  const { credential, sandbox } = examined.settings;
  if (!sandbox && credential === undefined) {
    return failure("no API key", "`gpuctl auth login` keeps one; GPUCTL_API_KEY gives one.");
  }
  return accepted(examined);
};

const accepted = remote(async ({ settings, ask }) => {
  const { lastFour, source } = settings.credential ?? {};
  const named = `…${lastFour} from ${source}`;
  try {
    await ask("getActiveRentalSummary", {});
    return ok(`${named}, accepted`);
  } catch (error) {
    const status = error instanceof ServiceError ? error.status : undefined;
    if (status === 401) {
      return failure(
        `${named} is not accepted: ${reasonOf(error)}`,
        "`gpuctl auth login` keeps another one.",
      );
    }
    if (status === 403) {
      return warning(
        `${named} lacks access: ${reasonOf(error)}`,
        "Some commands need a key with more access.",
      );
    }
    return warning(
      `${named} could not be tried: ${reasonOf(error)}`,
      "Run it again when the service answers.",
    );
  }
});
