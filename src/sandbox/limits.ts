import { fieldsOf } from "../contract/plain/fields.ts";
import {
  callerHeader,
  faultHeader,
  ignoredFieldsHeader,
  replyHeader,
  requestLog,
  sandboxChatModel,
  scenarios,
  servedControls,
} from "../core/sandbox.ts";
import { assumedOperations } from "./assumed/index.ts";
import { pageInput } from "./assumed/pages.ts";
import { secondMs } from "./clock.ts";
import { maxYaml } from "./documents.ts";
import { slowPngSide } from "./engines/picture/reference.ts";
import { defaultStrength, referenceSide } from "./engines/picture/request.ts";
import { audioDefaults } from "./engines/remote/audio.ts";
import { engineTimeouts } from "./engines/remote/request.ts";
import { defaultRetryAfter } from "./faults/control.ts";
import { defaultContentType } from "./faults/inject.ts";
import { listedSizes } from "./handlers/catalog.ts";
import { numberedSecret } from "./handlers/keys.ts";
import { maxSpeechLength, speedRange } from "./handlers/media.ts";
import { exposedHeaders, sandboxHeader } from "./http/cors.ts";
import { maxBodyBytes } from "./http/exchange.ts";
import { keys } from "./keys.ts";
import { maxMachines } from "./machines/machines.ts";
import { keptMedia } from "./page/recent-media.ts";
import { maxBodyValues } from "./read-input.ts";
import { slowBootMs } from "./rentals/boots.ts";
import { maxGpus } from "./rentals/create.ts";
import { bootMs } from "./rentals/lifecycle.ts";
import { centsPerGpuHour, termDiscounts } from "./rentals/prices.ts";
import { documentationNetworks, gpusPerMachine } from "./rentals/record.ts";
import { idsBefore } from "./store/schema.ts";
import { busyMs } from "./store/store.ts";
import { initialCreditCents } from "./tables/users.ts";

const { pages } = servedControls;

const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

const priceList = Object.entries(centsPerGpuHour)
  .map(([gpu, cents]) => `${gpu} ${dollars(cents)}`)
  .join(", ");
const discounts = termDiscounts.map(({ days, percent }) => `${percent}% from ${days} days`).join(", ");
const keyName = fieldsOf(assumedOperations.createApiKey.input).find(({ name }) => name === "name");
const defaultLimit = pageInput.limit.parse(undefined);
const maxLimit = pageInput.limit.unwrap().maxValue;

/**
 * How the sandbox behaves where the service's documentation does not say. Users see these texts, and a test checks
 * each.
 */
const texts = {
  prices: `GPU prices per hour: ${priceList}. These are the sandbox's own prices. The hourly price of a rental is rounded to whole cents and is at least 1 cent.`,
  "term-prices": `A reserved term costs its hourly price x 24 x days, in whole cents, with a discount of ${discounts}. discountPercentage lowers both the reserved and the on-demand price.`,
  billing:
    "A rental is billed per second from the moment it is Running; while Pending it is free, but it counts as active. The total of a rental is computed exactly and rounded down to a cent. A reserved term is billed as it elapses, so a rental that ends early costs no more.",
  boot: `A virtual machine boots in ${bootMs["virtual-machine"] / secondMs} s, bare metal in ${bootMs["bare-metal"] / secondMs} s.`,
  "boot-outcomes": `A boot rule (\`gpuctl sandbox boot add\`) can make new rentals boot slowly (in ${slowBootMs / secondMs} s by default), fail, or never boot. The label of a rule is compared with the label in the create request, not with the label that the sandbox gives by default. A rental that fails is Failed after the usual time by default; one that never boots stays Pending. Both stay active until they are terminated, and cost nothing. A reserved term of such a rental starts when the boot fails or, if the rental never boots, after the usual time.`,
  status:
    "A rental is Pending until it has booted, and then Running. A boot rule or a situation (`gpuctl sandbox situation add`) can make it Failed. It is Terminated once it has ended.",
  terms:
    "A reserved term starts when the rental is Running, or immediately if it already is, and ends on a whole second. The rental then continues on demand, or ends if convertToOnDemandOnExpiry is false.",
  "term-length":
    "A reserved rental requires termPeriodDays, a whole number of at least 1, and must end before the year 10000. termPeriodDays is ignored for an on-demand rental.",
  "convert-and-extend":
    "Converting requires an active on-demand rental; extending requires an active reserved one. The price of an extension depends only on the days that it adds. expectedTotalPriceCents must be the price, and expectedReservedUntil must be the new end; otherwise the error shows the correct values.",
  "gpu-count": `A rental has a whole number of GPUs from 1 to ${maxGpus}. Capacity is unlimited unless a situation limits it.`,
  discount: "discountPercentage must be at least 0 and less than 100.",
  "ssh-keys":
    "SSH public keys are listed, added and deleted under /v2/ssh-keys, and have numbers as IDs. A rental that names a key that does not exist is rejected. Keys from sshPublicKeyId and sshPublicKeyIds are merged without duplicates. Deleting a key does not change existing rentals.",
  "api-keys":
    "API keys are listed, created and revoked under /v2/api-keys, with full or read-only access. The value of a key is returned only when it is created. A revoked key gets 401 immediately. The two built-in keys cannot be revoked.",
  addresses: `A running virtual machine has one SSH address; bare metal has one for every ${gpusPerMachine} GPUs. By default, the addresses come from ${documentationNetworks.map((network) => `${network}.0/24`).join(", ")}, which are reserved for documentation, so nothing responds there. A rental has other addresses if OpenSSH servers run for it (see machines), or if a seed sets its addresses.`,
  machines: `With \`sandbox serve --machines\`, and while a command with --sandbox logs in, each machine of a running rental is an OpenSSH server at 127.0.0.1, up to ${maxMachines} in all. A machine is not isolated from this computer: a login runs programs as the user who started the sandbox. On Linux, only this user and root can connect. When the rental ends, the machine's home folder is deleted and, on Linux, its programs are killed. Other processes that share the state show addresses that are reserved for documentation.`,
  "machine-keys":
    "A machine accepts the SSH keys that its rental was created with. If the rental has none, the machine accepts the sandbox's own key. The host key of a rental never changes.",
  "cluster-pools": "There are no cluster pools, so includeClusterPools has no effect.",
  termination:
    "A rental ends when its last reserved term ends and convertToOnDemandOnExpiry is false, when its user is deleted, when a situation ends it, or on POST /v2/on-demand/virtual-machine-rentals/terminate or .../bare-metal-rentals/terminate with its rentalId. Termination is immediate, even during a reserved term, and nothing is refunded.",
  "rental-options": `GET /v2/on-demand/rental-options lists virtual machines with ${listedSizes.join(", ")} GPUs and bare metal with ${gpusPerMachine} in every region, at the sandbox's prices. They have totalAvailable only where a situation limits the capacity.`,
  models: `GET ${assumedOperations.listChatModels.path} lists ${sandboxChatModel}, or the models of the chat engine.`,
  usage:
    "GET /v2/billing/usage lists the cost of each rental, one page at a time. GET /v2/billing/invoices returns a single invoice, which stays open.",
  replacements: `The replacements of deprecated operations are served beside the documented paths. A fault, rate limit or request filter for a deprecated rental operation includes the calls of its replacement, except those with another rentalType. Replacement lists take limit (from 1 to ${maxLimit}, ${defaultLimit} by default) and cursor, and return items and nextCursor, which is null on the last page. Without rentalType, active rentals of both types are listed.`,
  reservations: "A reservation request is accepted but not stored or forwarded.",
  volumes:
    "A volume can be attached to several active bare-metal rentals, in any region unless a situation limits this, and is detached from a rental that ends. Attaching it to more rentals does not detach it from others, and attaching it again has no effect. Volumes are free.",
  ids: `IDs are consecutive numbers: rentals start at ${idsBefore.rentals + 1}, volumes at ${idsBefore.volumes + 1}. An ID can also be sent as a string.`,
  user: "There is one user, unless a seed has accounts. All fields of an update are optional; omitted fields keep their values. Deleting a user ends its rentals and revokes its keys: every call with these keys gets 401 until the state is reset or replaced.",
  sunset:
    "The path /users/me, without /v2/, returns 404 from its sunset day on (UTC, by the sandbox's clock). From that day on, the OpenAPI description does not have it.",
  "body-size": `A request body can be up to ${maxBodyBytes / 1024 / 1024} MiB; a larger one gets 413 with the code PAYLOAD_TOO_LARGE. A JSON body can have up to ${maxBodyValues} values in its lists and objects; one with more gets 400.`,
  "rate-limits": "There are no rate limits and no quotas, unless a situation sets them.",
  balance: `An account starts with a credit of ${dollars(initialCreditCents)}, which pays for its rentals. GET /v2/balances returns the remaining credit. Rentals continue when it falls below zero, unless a situation makes the account prepaid.`,
  clock:
    "One clock is used for all timestamps, boots, billing and expiry, by all processes that share the state. It follows the computer's clock until it is changed, can be moved only forward (except by a seed, a restore or a reset), and ends with the year 9999. While it is frozen, no time passes.",
  "passing-time":
    "When the clock is moved forward, everything that is due in between, such as boots and the ends of terms, takes effect at its own time.",
  faults: `A fault applies before the key and the input are checked. The operation takes effect only if the fault says so (applied), or if the fault merely delays or cuts the response. Each call triggers at most one fault, the oldest that is due; newer faults do not count that call. Whether a fault with a rate affects a call depends only on the rate, the seed and the number of the call. A fault can be limited to calls with certain values of fields (where), to calls with a certain name in the header ${callerHeader}, or to calls with the API key of a certain name. Such a fault does not count other calls. A fault is rejected if it can never affect a call: its operation is past its sunset day, its key is unknown, or its operation has no body and its condition (where) names a field that the operation does not have. A fault is also rejected if a field or a choice in its condition is probably misspelled. Unknown paths and OPTIONS requests never trigger faults. The response to a call that triggers a fault has the header ${faultHeader} with the fault's number.`,
  "fault-responses": `An error has the same shape as other errors of its path. A status without a documented error gets a code and message based on its name. A fault can have its own code and message, or a body with any content type (${defaultContentType} by default, with status 200 unless the fault has one). A fault can cut a response (cutStreamAfter). With stall, nothing is sent after the cut, or after the end of a shorter response, and the connection stays open until the client disconnects. A delay is in real time, even if the sandbox's clock is frozen, and affects only the response: the operation has already taken effect, unless the fault prevents it. By default, a 429 asks clients to wait ${defaultRetryAfter} s.`,
  capacity:
    "A situation can limit the number of GPUs of a type in a region. The limit covers the active rentals of all users together. The oldest such situation that covers the type and the region applies. A rental that does not fit gets 400, with an issue for the field region. The totalAvailable of an option is how many rentals of that option still fit.",
  quotas:
    "A situation can limit the GPUs of all active rentals of the account, in total or of one type. A rental that would exceed this quota gets 403, with an issue for the field gpuCount.",
  interruptions:
    "A situation can end running rentals or make them fail, after a delay or at a given time. The delay counts from when a rental starts to run or, if it already runs, from when the situation is added. The situation also applies to rentals created later. A rental that fails stays active, and is billed until it fails. After the situation is removed, rentals that are already planned to end or fail still do so.",
  "rate-limit-windows":
    "A situation can limit the calls in a window of time, by the sandbox's clock. The first call begins a window. A call over the limit gets 429, and its Retry-After is the number of whole seconds until the window ends. The limit counts the calls of all keys together. Calls without a valid key do not count.",
  prepaid:
    "A situation can make the account prepaid: when the balance is used up, its rentals end at that moment, and new rentals and pictures that cost money get 403. Volumes stay.",
  "picture-prices":
    "A situation can make pictures cost what the service documents. Before a picture is drawn, its exact price is subtracted from the balance. If drawing fails, the price is added again. The balance is shown in whole cents. Pictures are not in usage or invoices.",
  "same-region":
    "A situation can limit each volume to rentals in the volume's region: attaching a volume to a rental in another region gets 400. Existing attachments stay.",
  scenarios: `A scenario replaces the situations, boot rules and faults, and keeps everything else. ${Object.entries(
    scenarios,
  )
    .map(([name, text]) => `${name}: ${text}.`)
    .join(" ")} A balance that a scenario has set stays when another scenario is set.`,
  requests: `The log keeps the last ${requestLog.kept} requests, with their bodies and responses, but without keys, the values of fields that are named like a secret (such as api_key), and the values of unknown query fields. Texts are shortened to ${requestLog.maxTextLength} characters. A body that is still longer than ${requestLog.maxBodyLength} characters is left out. A response is left out if it is longer than ${requestLog.maxResponseLength} characters, a stream, or not a text. When a request is refused before its body is read, the body is also left out if Content-Length is above ${requestLog.maxBodyLength} bytes or the request has the header Transfer-Encoding. Requests with the header ${callerHeader} are logged with its value. The log does not include OPTIONS requests or calls to the sandbox's controls.`,
  seed:
    "A seed replaces the whole state. It can have clock (now, which is the time of the seed, and frozen), user, balanceCents (the credit left at the time of the seed), keys (value, name, access: full, read-only or revoked), sshKeys (name, publicKey), rentals (rentalType and the fields of a create request, except storageVolume), volumes, accounts (further users, each with its own user, balanceCents, keys, sshKeys, rentals and volumes), scenario (a name), and situations, boots and faults (with the fields of the controls under /_sandbox/), which are added to those of the scenario. Rentals and volumes can also have id and createdAt. A rental can also have terminatedAt, boot (outcome, afterSeconds) and sshNetworking (host, port, user), which replaces the addresses of the rental. createdAt is the time of the seed by default, so a rental without it starts to boot at that time. " +
    `A seed or a chat script in YAML can have up to ${maxYaml.tokens} tokens and ${maxYaml.length / 1024 / 1024} MiB. This is enough for a seed of about 2,500 rentals. These limits do not apply to JSON.`,
  snapshot:
    "A snapshot holds everything except the request log and the names of the environment variables that hold the keys of engines. After a restore, a running clock continues from the time of the snapshot. A snapshot is rejected if it has another version, was modified, or has an invalid state.",
  reset:
    "A reset clears everything: IDs start over, there are no rentals, faults, engines, boot rules, situations or chat script, the request log is empty, the clock follows the computer's clock again, and the user and the built-in keys are created again. A sandbox that was served or created with a seed or a scenario starts over with them.",
  controls: `A served sandbox has controls under ${servedControls.path}/, as JSON and without a key. They accept requests only from this machine, addressed to localhost or a loopback address, and not from pages of other origins. If the sandbox is served with a token (--token-file), other machines can use the controls with the token as a bearer credential, and ${servedControls.path}/health without it. The controls have an OpenAPI description of their own, at ${servedControls.path}${servedControls.description}.`,
  page: `A served sandbox has two pages for browsers on this machine: ${pages.overview} shows what is going on, and ${pages.reference} is a reference of the API. For requests that do not accept text/html, these paths are unknown. Views of the pages are not logged, and no fault affects them. The overview has the last ${keptMedia.each} pictures and ${keptMedia.each} recordings that this server generated; they are in memory only.`,
  engines:
    "An engine is a server of your own that generates instead of the sandbox. Set one with `gpuctl sandbox engine set`, or with a POST to /_sandbox/engines. Requests are still checked as the service documents, but the sandbox's own limits, such as the speed range of its voice, do not apply to engines. A reset or a seed removes all engines.",
  "engine-requests": `Engines are reached directly, without a proxy, over http or https on any host, and their redirects are not followed. Fields that the service does not document are passed on as given. An engine may take ${engineTimeouts.connect / secondMs} s to connect and stay silent for ${engineTimeouts.silence / 60 / secondMs} minutes.`,
  "engine-keys":
    "The key of a request is never passed on to an engine. An engine gets a key only from the environment variable that was named for it. The process that runs the sandbox reads this variable. The variable cannot be one of gpuctl's own, and a key is not sent over plain http to another machine. A restored engine has no key, unless the same engine was already set.",
  "engine-errors":
    "An error of an engine keeps its status and message. The body has the documented shape, and a field named error in the common format of chat completions. An engine that is unavailable, denies access, redirects, or returns an unexpected response results in a 500 that names the engine. A stream that breaks ends with an event that has an error.",
  "engine-models": `A chat engine gets the model that was set for it. If none was set, it gets the model of the request or, if that is ${sandboxChatModel}, the first model that the engine lists. GET ${assumedOperations.listChatModels.path} lists the models of the engine.`,
  "engine-pictures": `The header ${ignoredFieldsHeader} names fields of a request that had no effect. Engines have no equivalent for backend, prompt_2, negative_prompt_2 and enable_refiner, and many ignore model_name. random_seed is the seed that the engine reports.`,
  "engine-speech": `An audio engine gets the model and the voice of the request. If the request has none, the engine gets those that were set for it, or by default ${audioDefaults.model} and ${audioDefaults.voice}. The engine is always asked for one complete WAV file.`,
  lists:
    "Lists are sorted by ID and return everything at once, except usage and the lists that replace deprecated operations, which are paged. The history contains every rental that has ended.",
  records:
    "Records have the fields that services of this kind usually return, with money in cents and times in UTC with milliseconds. The summary of active rentals has a total for each term type.",
  "rental-records":
    "Creation, lists, lookup and history return the same rental record; the lookup adds state. A field that was not given is null, false, an empty list, or its default.",
  "term-records":
    "In a record, termPeriodDays is the total length of all consecutive reserved terms, and costPerHourCents is the current hourly price.",
  summary: "The summary of active rentals includes Pending ones, at the hourly price that they will have.",
  labels:
    "A rental without a label, or with an empty one, gets vm- or bm- and its ID. Labels can be of any length and do not have to be unique.",
  "rental-fields":
    "networkType, cudaVersion, monitoringEnabled and customPorts are stored as given, including duplicate ports, and have no other effect. A field of the other rental type is ignored as unknown.",
  "volume-records":
    "A volume created with a rental is in the rental's region. An ended rental still lists the volumes it had.",
  "user-record":
    "The user's name and other text fields can be empty; unknown fields of the user are ignored.",
  "reservation-size":
    "A reservation request can ask for any number of GPUs that is at least 1, including numbers such as 1.5; the message of the response repeats the number.",
  hosts: "Compute and inference are served at the same address, whatever the host name of the request.",
  order:
    "A request is checked in this order: path and sunset day, faults, key, access of the key, rate limits, size of the body, fields. The first failure determines the response.",
  paths:
    "Paths are case-sensitive, and a trailing slash makes a different path. An unknown path returns 404, even without a key.",
  methods:
    "A known path with another method returns 404. HEAD works like GET, without a body. OPTIONS returns 204 on every path, without a key.",
  credentials:
    "The word Bearer is not case-sensitive. Another scheme or an unknown key gets 401, like a missing key.",
  access:
    "A read-only key can only read: anything else gets 403, before its input is checked. A revoked key gets 401.",
  "own-keys": `The built-in keys are ${keys.full} and ${keys.readOnly}, the same in every sandbox. Created keys are numbered: ${numberedSecret(1)}, ${numberedSecret(2)} and so on.`,
  "key-names": `Names of API keys and SSH keys have ${keyName?.minLength} to ${keyName?.maxLength} characters and do not have to be unique.`,
  bodies:
    "A body is read as UTF-8 JSON whatever its Content-Type; a byte order mark is skipped. Unknown fields are ignored, and if a field occurs more than once, the last one counts.",
  nulls: "Optional fields cannot be null, except those of chat completions.",
  query:
    "In a query, a boolean is true or false and a number is written as in JSON. A repeated field is rejected; an unknown one is ignored.",
  pages: `A page of usage has ${defaultLimit} lines, or up to ${maxLimit} with limit. Its cursor is the ID of the last rental of the previous page.`,
  issues:
    "Each entry of issues is an object with path and message. Errors below /v1/ also have the field error, with message, type, param and code, which clients of the common chat-completions format read. param is the dotted path of the first issue.",
  "unknown-things":
    "Terminating, converting, extending or attaching something that does not exist or has ended returns 400; deleting a key that does not exist returns 404.",
  browsers: `Web pages of any origin can call the sandbox, with any header, and can read the headers ${exposedHeaders.join(", ")}. While an engine has a key, only web pages that are served by this machine can call the inference API, and programs on this machine can call it only by a name that always means this machine, such as localhost.`,
  headers: `Every response to a readable request has the header ${sandboxHeader}, and the header Date with the time of the sandbox's clock. Responses of paths with a sunset day also have Deprecation.`,
  description:
    "The server in the OpenAPI description is the address at which the description was requested. The description includes the sandbox's own limits, which the service's documentation does not have; engines, chat scripts and situations can change these limits. The description has an ETag: a request with a matching If-None-Match gets 304.",
  processes: `Changes to the state run one after the other, across all processes that share it. A process waits up to ${busyMs / secondMs} s for another.`,
  chat: `The only chat model is ${sandboxChatModel}, which repeats the last user message. messages must have at least one item; a role is any string. content is a text or a list of parts, which are repeated one per line; a picture is repeated as its media type or URL. content can be null or omitted if the message has tool_calls. stop, stream and stream_options.include_usage are supported; temperature, tools, tool_choice, response_format and all other fields are accepted and have no effect.`,
  "chat-script": `A chat script replies for every model, verbatim: max_tokens and stop have no effect on it. A chat script takes precedence over a chat engine. Input is checked first, and delays are in real time. The responses have the header ${replyHeader} with the index of the reply. If the request does not stream, a stream error becomes status 500, and a cut reply ends in the middle of the JSON. A request that matches no reply gets 400.`,
  tokens:
    "A token is a word with the space before it, in prompts and in replies; usage counts tokens. max_tokens (if it is omitted, max_completion_tokens) is at least 1. A longer reply is cut, and its finish_reason is length.",
  choices: "A chat completion has one choice: n must be 1 if given.",
  streams:
    "A chat stream has an event with the role, one for each token, one with the finish_reason, one with usage if requested, and [DONE].",
  pictures:
    "Pictures are PNGs drawn by an algorithm: the same request with the same seed gives the same picture. They are marked SANDBOX, and are free unless a situation makes them cost money. steps is at least 1. Any prompt, sampler and cfg_scale is accepted, and backend has no effect.",
  references: `A reference is a PNG, JPEG or WebP of at most ${referenceSide} x ${referenceSide} pixels (${slowPngSide} x ${slowPngSide} for an interlaced or 16-bit PNG), as plain base64, and is stretched to the size of the picture. strength is ${defaultStrength} by default and has no effect without a reference.`,
  seeds:
    "The seed of a picture is any integer that JSON represents exactly. If a request has no seed, the sandbox derives one below 2^32 from the number of such requests since the last reset, and returns it as random_seed.",
  speech: `Speech is a WAV of 16-bit mono samples at sample_rate, from a small synthesizer. speed is from ${speedRange.min} to ${speedRange.max}, and other fields have no effect. The text can have up to ${maxSpeechLength} characters, and must contain words that the English voice can speak.`,
} as const;

export type LimitId = keyof typeof texts;

/** How the sandbox behaves where the service's documentation does not say. */
export const sandboxLimits = Object.entries(texts).map(([id, text]) => ({ id, text }));
