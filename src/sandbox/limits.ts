import { assumedOperations } from "../contract/assumed/index.ts";
import { pageInput } from "../contract/assumed/pages.ts";
import { faultHeader, requestLog, sandboxChatModel } from "../contract/sandbox.ts";
import { adminPath } from "./admin/app.ts";
import { maxBodyBytes } from "./app.ts";
import { secondMs } from "./clock.ts";
import { usualRetryAfter } from "./control/faults.ts";
import { listedSizes } from "./handlers/rental-options.ts";
import { bootMs } from "./lifecycle.ts";
import { inferenceTexts } from "./limits/inference.ts";
import { recordTexts } from "./limits/records.ts";
import { wireTexts } from "./limits/wire.ts";
import { maxGpus } from "./new-rental.ts";
import { centsPerGpuHour, termDiscounts } from "./prices.ts";
import { idsBefore } from "./schema.ts";
import { documentationNetworks, gpusPerMachine } from "./ssh-networking.ts";
import { firstCreditCents } from "./tables/credits.ts";

export interface SandboxLimit {
  readonly id: string;
  readonly text: string;
}

const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

const priceList = Object.entries(centsPerGpuHour)
  .map(([gpu, cents]) => `${gpu} ${dollars(cents)}`)
  .join(", ");

const discounts = termDiscounts.map(({ days, percent }) => `${percent}% from ${days} days`).join(", ");

const texts = {
  prices: `A GPU costs, for an hour: ${priceList}. These are the sandbox's own prices; an hour of a rental costs whole cents, rounded, and at least 1.`,
  "term-prices": `A reserved term costs its hourly price x 24 x days, in whole cents, less ${discounts}. discountPercentage comes off both that and the on-demand price.`,
  billing:
    "A rental is billed by the whole second from Running; before that it costs nothing but counts as active. The cents of a rental are added up exactly and rounded down once. A reserved term is billed as it passes, and what is ended early costs no more.",
  boot: `A virtual machine boots in ${bootMs["virtual-machine"] / secondMs} s, bare metal in ${bootMs["bare-metal"] / secondMs} s.`,
  status: "A rental is Pending until its boot is over, then Running, and Terminated at last.",
  terms:
    "A reserved term starts when the rental runs, or at once when it runs already, and ends on a whole second. It then goes on as on-demand, or the rental ends when convertToOnDemandOnExpiry is false.",
  "term-length":
    "A reserved rental needs termPeriodDays, a whole number of at least 1, and an end before the year 10000. termPeriodDays says nothing for an on-demand one.",
  "convert-and-extend":
    "Converting needs an active on-demand rental, extending an active reserved one, and the days of the extension alone make its price. The expected price must be the price, and the expected end, as an instant, the end after the extension; the refusal says the right values.",
  "gpu-count": `A rental has a whole number of GPUs, at least 1 and at most ${maxGpus}. Nothing is ever sold out.`,
  discount: "discountPercentage is at least 0 and below 100.",
  "ssh-keys":
    "SSH public keys are listed, added and deleted under /v2/ssh-keys, and numbered. A rental that asks for one that is not there is refused; it may name keys in both fields, and has each once. Deleting one changes no rental.",
  "api-keys":
    "API keys are listed, made and revoked under /v2/api-keys; a key may do everything or only read. Its value is shown when it is made. A revoked key answers 401 at once. The sandbox's own two keys cannot be revoked.",
  addresses: `A running virtual machine has one SSH address, bare metal one for each ${gpusPerMachine} GPUs, out of ${documentationNetworks.map((network) => `${network}.0/24`).join(", ")}: networks for documentation, where nothing answers.`,
  "cluster-pools": "There are no cluster pools: includeClusterPools changes nothing.",
  termination:
    "A rental ends with its term, with its user, or by POST /v2/on-demand/virtual-machine-rentals/terminate or .../bare-metal-rentals/terminate with its rentalId: at once, in a reserved term too, and nothing is paid back.",
  "rental-options": `GET /v2/on-demand/rental-options lists virtual machines of ${listedSizes.join(", ")} GPUs and bare metal of ${gpusPerMachine} in every region at the sandbox's prices; how many there are it does not say.`,
  models: `GET ${assumedOperations.listChatModels.path} lists ${sandboxChatModel}, the one chat model.`,
  usage:
    "GET /v2/billing/usage lists what each rental has cost, a page at a time; GET /v2/billing/invoices has one invoice that stays open.",
  replacements: `What takes the place of deprecated operations is served with --only replacements alone. A list takes limit (from 1 to ${pageInput.limit.unwrap().maxValue}, ${pageInput.limit.parse(undefined)} when left out) and cursor, and answers with items and nextCursor, null on the last page; active rentals are of both types without rentalType.`,
  reservations: "A reservation that is asked for is noted by nobody.",
  volumes:
    "A volume attaches to active bare-metal rentals in any region, to several at once, and leaves a rental that ends. Attaching it again changes nothing, and volumes that were attached before stay. Volumes cost nothing.",
  ids: `Ids are numbers that count up, of rentals from ${idsBefore.rentals + 1} and of volumes from ${idsBefore.volumes + 1}; the same number as a text is the same id.`,
  user: "There is one user. An update needs no field and keeps what is not given. Deleting the user ends its rentals and its keys: every call answers 401 until the next reset.",
  sunset:
    "From their sunset day, in UTC by the sandbox's clock, the paths without /v2/ answer 404 and leave the description.",
  "body-size": `A body may have ${maxBodyBytes / 1024 / 1024} MiB; a larger one answers 413, PAYLOAD_TOO_LARGE.`,
  "rate-limits": "There are no rate limits and no quotas.",
  balance: `An account starts with ${dollars(firstCreditCents)}, from which the rentals run it down, and GET /v2/balances tells what is left; nothing is stopped below zero.`,
  clock:
    "One clock stamps, boots, bills and expires everything, for all processes that share the state. It is the machine's until it is moved, and goes forward only, up to the end of 9999. While it is frozen no time passes.",
  "passing-time":
    "What was to happen in time that passes at once happened at its own moment: boot, the end of a term, what follows.",
  faults: `A fault comes before the key and the input are looked at, and lets nothing happen unless the operation is applied or just delayed or cut. The oldest one that waits for a call takes it, the others do not count it; a path that is not known, and OPTIONS, are no calls. An answer has the header ${faultHeader} with its number.`,
  "fault-answers": `Every error has the documented shape, of inference too; a status without a documented one has a code and a message made of its name. A delay is real time, whatever the sandbox's clock does, and holds up the answer: what was asked has happened by then, unless the fault lets nothing happen. A 429 says to wait ${usualRetryAfter} s unless something else is said.`,
  requests: `The last ${requestLog.kept} requests are kept without bodies, keys, and values of query fields that are not known; OPTIONS and orders are not among them.`,
  seed: "A seed takes the place of everything. It may have clock (now, frozen), user, balanceCents (what is left at that moment), keys (value, name, access: full, read-only or revoked), sshKeys (name, publicKey), rentals (rentalType and the fields that create one) and volumes; things may have an id and createdAt, rentals terminatedAt. Without createdAt a rental begins to boot, and everything else is as old as that moment.",
  snapshot:
    "A snapshot holds everything but the log of requests. Restored, a running clock runs on from the moment of the snapshot. One of another version, that was changed, or that no sandbox could have written is refused.",
  reset:
    "A reset forgets everything: ids start again, faults and requests are gone, the clock is the machine's, and the user and the keys are as old as the reset.",
  controls: `A served sandbox takes orders under ${adminPath}/, in JSON, without a key: from this machine only, by a name or address of it, and from no page of another origin. They are not in the description.`,
  ...recordTexts,
  ...wireTexts,
  ...inferenceTexts,
} as const;

export type LimitId = keyof typeof texts;

/** What the service leaves open and the sandbox decided. */
export const sandboxLimits: readonly SandboxLimit[] = Object.entries(texts).map(([id, text]) => ({
  id,
  text,
}));
