/** A fault that the tests must notice. */
export interface Mutation {
  /** What the fault does, for reports. */
  readonly name: string;
  readonly file: string;
  /** Text that the file contains exactly once. */
  readonly from: string;
  readonly to: string;
  /** Test files, at least one test of which must fail. */
  readonly tests: readonly string[];
  /** The tests run the built program. */
  readonly build?: true;
}

const retry = ["test/client/retry.test.ts"];
const failure = ["test/client/failure.test.ts", "test/client/error-decoding.test.ts"];
const redirect = ["test/client/redirect.test.ts"];
const matrix = ["test/faults/matrix.test.ts"];
const unknownOutcome = ["test/commands/unknown-outcome.test.ts"];
const sizes = ["test/faults/sizes.test.ts"];
const sse = ["test/client/sse.test.ts", "test/client/stream.test.ts"];
const urls = ["test/cli/settings.test.ts", "test/client/request.test.ts"];
const money = ["test/output/units.test.ts"];
const burn = ["test/commands/rentals-burn.test.ts", "test/cli/budget.test.ts"];
const cost = ["test/commands/image.test.ts"];
const lock = ["test/core/lock.test.ts"];
const secrets = ["test/cli/key-spellings.test.ts"];
const owners = ["test/cli/config/guard.test.ts", "test/cli/settings.test.ts"];
const hosts = ["test/cli/key-hosts.test.ts"];
const sniff = ["test/media/sniff.test.ts"];
const pictures = ["test/media/truncated.test.ts"];
const names = ["test/media/filename.test.ts"];
const exits = ["test/cli/errors.test.ts"];
const priority = ["test/cli/exit-priority.test.ts"];
const several = ["test/commands/rentals-create-several.test.ts", "test/commands/rentals-terminate.test.ts"];
const described = ["test/client/negotiation.test.ts"];
const codeCache = { tests: ["test/e2e/code-cache.test.ts"], build: true } as const;

/** The places where a fault would cost a user money, a key or a result. */
export const mutations: readonly Mutation[] = [
  {
    name: "writes are retried on 429 and 5xx",
    file: "src/client/attempt.ts",
    from: "retryable: isReadRequest && (status === 429",
    to: "retryable: (status === 429",
    tests: retry,
  },
  {
    name: "writes are retried when the connection breaks",
    file: "src/client/attempt.ts",
    from: "retryable: isReadRequest && error !== cause",
    to: "retryable: error !== cause",
    tests: [...retry, "test/client/connection.test.ts"],
  },
  {
    name: "408 is not retried",
    file: "src/client/attempt.ts",
    from: "status === 408 || status >= 500",
    to: "status >= 500",
    tests: retry,
  },
  {
    name: "500 is not retried",
    file: "src/client/attempt.ts",
    from: "status === 408 || status >= 500",
    to: "status === 408 || status > 500",
    tests: retry,
  },
  {
    name: "Retry-After counts milliseconds",
    file: "src/client/attempt.ts",
    from: "return Number(header) * 1000",
    to: "return Number(header)",
    tests: retry,
  },
  {
    name: "a Retry-After date is ignored",
    file: "src/client/attempt.ts",
    from: "Math.max(0, date - now)",
    to: "undefined",
    tests: retry,
  },
  {
    name: "a past Retry-After date is a negative delay",
    file: "src/client/attempt.ts",
    from: "Math.max(0, date - now)",
    to: "date - now",
    tests: retry,
  },
  {
    name: "any Retry-After is waited for",
    file: "src/client/attempt.ts",
    from: "failures >= retries || delay > maxRetryAfter",
    to: "failures >= retries",
    tests: retry,
  },
  {
    name: "one retry too many",
    file: "src/client/attempt.ts",
    from: "failures >= retries",
    to: "failures > retries",
    tests: retry,
  },
  {
    name: "an interrupted write counts as not sent",
    file: "src/client/attempt.ts",
    from: "throw isReadRequest || wasNotSent(cause) ? signal.reason : new InterruptedWrite(request, received());",
    to: "throw signal.reason;",
    tests: ["test/cli/interrupt.test.ts"],
  },
  {
    name: "a 5xx to a write counts as rejected",
    file: "src/client/failure.ts",
    from: "status >= 400 && status < 500 && isComplete",
    to: "status >= 400 && isComplete",
    tests: [...failure, ...unknownOutcome],
  },
  {
    name: "a truncated 4xx to a write counts as rejected",
    file: "src/client/failure.ts",
    from: "status < 500 && isComplete &&",
    to: "status < 500 &&",
    tests: matrix,
  },
  {
    name: "a 4xx to a write that cannot be read counts as rejected",
    file: "src/client/failure.ts",
    from: " && !isNestedBeyond(parseJson(text), maxLevels);",
    to: ";",
    tests: matrix,
  },
  {
    name: "a write whose connection broke counts as not sent",
    file: "src/client/failure.ts",
    from: "if (failed && (isRead(request) || !failed.sent))",
    to: "if (failed)",
    tests: [...failure, "test/client/connection.test.ts"],
  },
  {
    name: "a connection that times out in a response is an unknown error",
    file: "src/client/failure.ts",
    from: '"ETIMEDOUT", "ERR_STREAM',
    to: '"ERR_STREAM',
    tests: unknownOutcome,
  },
  {
    name: "a key in a failed response is not masked",
    file: "src/client/failure.ts",
    from: "readFailure(status, keyRedactor(request)(text));",
    to: "readFailure(status, text);",
    tests: [...failure, "test/library/client.test.ts", "test/library/sending.test.ts"],
  },
  {
    name: "a key is sent to another host by a redirect",
    file: "src/client/fetch.ts",
    from: "next.origin === new URL(url).origin ? next.href : undefined",
    to: "next.href",
    tests: redirect,
  },
  {
    name: "a write follows a redirect",
    file: "src/client/fetch.ts",
    from: "!isRead(request) || hops === maxRedirects",
    to: "hops === maxRedirects",
    tests: redirect,
  },
  {
    name: "one redirect too many",
    file: "src/client/fetch.ts",
    from: "hops === maxRedirects)",
    to: "hops === maxRedirects + 1)",
    tests: redirect,
  },
  {
    name: "a text has no maximum size",
    file: "src/client/fetch.ts",
    from: "if (length > maxBytes) return { text, isComplete: false };",
    to: "",
    tests: matrix,
  },
  {
    name: "a buffered body has no maximum size",
    file: "src/client/response.ts",
    from: "if (length > maxBytes) throw new ResponseTooLarge(maxBytes);",
    to: "",
    tests: matrix,
  },
  {
    name: "an event has no maximum size",
    file: "src/client/stream.ts",
    from: "if (isTooLarge) throw new ResponseTooLarge(maxLength);",
    to: "",
    tests: [...sizes, ...sse],
  },
  {
    name: "headers have no maximum size",
    file: "src/client/transport.ts",
    from: "maxHeaderSize: responseLimits.headers,",
    to: "maxHeaderSize: 2 ** 30,",
    tests: matrix,
  },
  {
    name: "an empty response to a generation counts as success",
    file: "src/client/response.ts",
    from: 'method === "DELETE" || method === "PUT" ||',
    to: 'method !== "GET" ||',
    tests: ["test/client/responses.test.ts"],
  },
  {
    name: "null in response to a create counts as success",
    file: "src/client/response.ts",
    from: "(creates && value === null)",
    to: "false",
    tests: ["test/client/responses.test.ts"],
  },
  {
    name: "a stream that ends early counts as complete",
    file: "src/client/completion/chunks.ts",
    from: "unreadable !== undefined || !finished",
    to: "unreadable !== undefined",
    tests: ["test/commands/chat.test.ts"],
  },
  {
    name: "the last event without a blank line is lost",
    file: "src/client/stream.ts",
    from: "\\n\\n`);",
    to: "`);",
    tests: sse,
  },
  {
    name: "a write reuses a connection",
    file: "src/client/transport.ts",
    from: "if (!isShared) agent.keepSocketAlive = () => false;",
    to: "",
    tests: ["test/client/connection.test.ts"],
  },
  {
    name: "requests to this machine go through a proxy",
    file: "src/client/transport.ts",
    from: "isLoopback(new URL(url).hostname) ? undefined : getProxyForUrl(url) || undefined",
    to: "getProxyForUrl(url) || undefined",
    tests: ["test/client/proxy.test.ts"],
  },
  {
    name: "evillocalhost is loopback",
    file: "src/core/urls.ts",
    from: 'host.endsWith(".localhost")',
    to: 'host.endsWith("localhost")',
    tests: urls,
  },
  {
    name: "x.localhost is not loopback",
    file: "src/core/urls.ts",
    from: 'host.endsWith(".localhost") || ',
    to: "",
    tests: urls,
  },
  {
    name: "127.evil.example is loopback",
    file: "src/core/urls.ts",
    from: "/^127(\\.\\d+){3}$/",
    to: "/^127/",
    tests: urls,
  },
  {
    name: "a key is sent unencrypted",
    file: "src/core/urls.ts",
    from: "&& !isLoopback(url.hostname) && !insecureHttp",
    to: "&& false",
    tests: urls,
  },
  {
    name: "a key may have spaces",
    file: "src/core/urls.ts",
    from: "/^[\\x21-\\x7e]+$/",
    to: "/^[\\x20-\\x7e]+$/",
    tests: [...urls, "test/commands/auth.test.ts"],
  },
  {
    name: "the noise of floating point counts as money",
    file: "src/core/values/money.ts",
    from: "cents.toPrecision(15)",
    to: "cents.toPrecision(17)",
    tests: money,
  },
  {
    name: "a third decimal of an amount is accepted",
    file: "src/core/values/money.ts",
    from: "digits.fraction.length > 2",
    to: "digits.fraction.length > 3",
    tests: money,
  },
  {
    name: "an amount beyond exact numbers is accepted",
    file: "src/core/values/money.ts",
    from: "Number.isSafeInteger(cents) ? cents : undefined",
    to: "cents",
    tests: money,
  },
  {
    name: "$12.5 is $1.25",
    file: "src/core/values/money.ts",
    from: 'digits.fraction.padEnd(2, "0")',
    to: "digits.fraction",
    tests: money,
  },
  {
    name: "$0.05 is shown as $0.5",
    file: "src/core/values/money.ts",
    from: '.padStart(decimals, "0")',
    to: "",
    tests: money,
  },
  {
    name: "a negative amount is shown as positive",
    file: "src/core/values/money.ts",
    from: '"-" : ""}$$',
    to: '"" : ""}$$',
    tests: money,
  },
  {
    name: "a price is rounded between its factors",
    file: "src/core/values/money.ts",
    from: "return (amount * product(factors) * unit(divisors.length)) / (product(divisors) * unit(factors.length));",
    to: "return ((amount * unit(divisors.length)) / product(divisors)) * (product(factors) / unit(factors.length));",
    tests: [...money, ...cost],
  },
  {
    name: "a cost equal to --max-cost is refused",
    file: "src/command-kit/inference.ts",
    from: "cost <= limit",
    to: "cost < limit",
    tests: cost,
  },
  {
    name: "--max-cost is ignored",
    file: "src/command-kit/inference.ts",
    from: "if (limit === undefined || cost <= limit) return;",
    to: "if (limit === undefined || cost > 0n) return;",
    tests: cost,
  },
  {
    name: "--max-cost counts one of several pictures",
    file: "src/commands/image/image.ts",
    from: "assertWithinCost(cost * BigInt(count), maxCost)",
    to: "assertWithinCost(cost, maxCost)",
    tests: cost,
  },
  {
    name: "--max-burn refuses what meets the limit",
    file: "src/commands/rentals/create/burn.ts",
    from: "added && total > limit",
    to: "added && total >= limit",
    tests: burn,
  },
  {
    name: "--max-burn counts one of several rentals",
    file: "src/commands/rentals/create/burn.ts",
    from: "cost: each.cost * BigInt(count)",
    to: "cost: each.cost",
    tests: [...burn, ...several],
  },
  {
    name: "--max-burn forgets the active rentals",
    file: "src/commands/rentals/create/burn.ts",
    from: "const total = active + (added?.cost ?? 0n);",
    to: "const total = added?.cost ?? 0n;",
    tests: burn,
  },
  {
    name: "a lock is taken over much later",
    file: "src/core/tasks/lock.ts",
    from: "{ realpath: false, stale, onCompromised",
    to: "{ realpath: false, stale: stale * 100, onCompromised",
    tests: lock,
  },
  {
    name: "a lock is waited for forever",
    file: "src/core/tasks/lock.ts",
    from: "if (waited >= timeout) throw",
    to: "if (waited < 0) throw",
    tests: lock,
  },
  {
    name: "a lost lock counts as held",
    file: "src/core/tasks/lock.ts",
    from: '(await readFile(path, "utf8")) !== token',
    to: "token.length === 0",
    tests: lock,
  },
  {
    name: "a key of eight characters is not masked",
    file: "src/core/redact.ts",
    from: "minSecretLength = 8",
    to: "minSecretLength = 9",
    tests: ["test/cli/key-echo.test.ts"],
  },
  {
    name: "a key that is encoded three times is not masked",
    file: "src/core/redact.ts",
    from: "maxDepth = 4",
    to: "maxDepth = 2",
    tests: ["test/cli/key-echo.test.ts"],
  },
  {
    name: "a key in Base64 is not masked",
    file: "src/core/redact.ts",
    from: "...base64Forms(secret),",
    to: "",
    tests: secrets,
  },
  {
    name: "a key in capital letters is not masked",
    file: "src/core/redact.ts",
    from: 'secret: new RegExp(secret, "gi")',
    to: 'secret: new RegExp(secret, "g")',
    tests: secrets,
  },
  {
    name: "code in a folder that others can write to is trusted",
    file: "src/system/code-cache.ts",
    from: "const trusted = isOurs(cache) && isOurs(place);",
    to: "const trusted = true;",
    ...codeCache,
  },
  {
    name: "altered compiled code is trusted",
    file: "src/system/code-cache.ts",
    from: "return crc32(code) === bytes.readUInt32LE(end) ? code : undefined;",
    to: "return code;",
    ...codeCache,
  },
  {
    name: "a configuration that the group can write is used",
    file: "src/config/file.ts",
    from: "othersWrite = 0o022",
    to: "othersWrite = 0o002",
    tests: owners,
  },
  {
    name: "a key that the group can read is not warned of",
    file: "src/config/file.ts",
    from: "othersRead = 0o044",
    to: "othersRead = 0o004",
    tests: owners,
  },
  {
    name: "a configuration of another user is used",
    file: "src/config/file.ts",
    from: "facts.owner !== user",
    to: "facts.owner < 0",
    tests: owners,
  },
  {
    name: "CI=false turns prompts off",
    file: "src/config/settings.ts",
    from: "!/^(0|false)?$/i.test(value)",
    to: "!/^0?$/.test(value)",
    tests: ["test/cli/prompts.test.ts"],
  },
  {
    name: "the inference host of a profile is used with another base URL",
    file: "src/config/settings.ts",
    from: "sameService ? values : {}",
    to: "values",
    tests: [...urls, ...hosts],
  },
  {
    name: "the key of a profile is sent to any host",
    file: "src/config/credentials.ts",
    from: "hosts && origin !== undefined && !hosts.includes(origin)",
    to: "hosts && origin === undefined",
    tests: hosts,
  },
  {
    name: "text that begins with BM is a bitmap",
    file: "src/media/sniff.ts",
    from: " && [12, 40, 52, 56, 64, 108, 124].includes(bytes[14] ?? 0)",
    to: "",
    tests: sniff,
  },
  {
    name: "another MPEG layer is an MP3",
    file: "src/media/sniff.ts",
    from: "(kind & 0xe6) === 0xe2",
    to: "(kind & 0xe0) === 0xe0",
    tests: sniff,
  },
  {
    name: "the version of an MPEG-4 file counts as a brand",
    file: "src/media/sniff.ts",
    from: "index !== 1 && ",
    to: "",
    tests: sniff,
  },
  {
    name: "the brands of an MPEG-4 file have no limit",
    file: "src/media/sniff.ts",
    from: "Math.min(size - 8, 8 + 16 * 4)",
    to: "size - 8",
    tests: sniff,
  },
  {
    name: "a WebP that lacks its last bytes is complete",
    file: "src/media/truncated.ts",
    from: "file.readUInt32LE(4) + 8 > file.length",
    to: "file.readUInt32LE(4) > file.length",
    tests: pictures,
  },
  {
    name: "a PNG without an end is complete",
    file: "src/media/truncated.ts",
    from: "png: (file) => endOfPng(file) === undefined",
    to: "png: () => false",
    tests: pictures,
  },
  {
    name: "the preview of a JPEG counts as its end",
    file: "src/media/truncated.ts",
    from: "jpeg.indexOf(endOfImage, at)",
    to: "jpeg.indexOf(endOfImage)",
    tests: pictures,
  },
  {
    name: "truncated Base64 is decoded",
    file: "src/media/base64.ts",
    from: "symbols.length % 4 === 1 || ",
    to: "",
    tests: ["test/media/base64.test.ts"],
  },
  {
    name: "a name is one character longer",
    file: "src/media/filename.ts",
    from: "characters: 40, bytes: 120",
    to: "characters: 41, bytes: 120",
    tests: names,
  },
  {
    name: "a name has more bytes",
    file: "src/media/filename.ts",
    from: "characters: 40, bytes: 120",
    to: "characters: 40, bytes: 160",
    tests: names,
  },
  {
    name: "an unknown outcome among several is only a partial failure",
    file: "src/cli/report/failure-meanings.ts",
    from: "[exit.interrupted, exit.unknownOutcome]",
    to: "[exit.interrupted]",
    tests: priority,
  },
  {
    name: "an unknown outcome hides an interruption",
    file: "src/cli/report/failure-meanings.ts",
    from: "[exit.interrupted, exit.unknownOutcome]",
    to: "[exit.unknownOutcome, exit.interrupted]",
    tests: priority,
  },
  {
    name: "a partial failure has the code of its failures",
    file: "src/cli/report/failure-meanings.ts",
    from: "succeeded === 0 && codes",
    to: "codes",
    tests: priority,
  },
  {
    name: "501 is a failure of the service",
    file: "src/cli/report/exit.ts",
    from: " || status === 501",
    to: "",
    tests: exits,
  },
  {
    name: "408 is a rejection",
    file: "src/cli/report/exit.ts",
    from: " || status === 408",
    to: "",
    tests: exits,
  },
  {
    name: "a cached description from the future is used",
    file: "src/openapi/description-store.ts",
    from: "time <= now && ",
    to: "",
    tests: described,
  },
  {
    name: "a cached description is used for longer than a day",
    file: "src/openapi/description-store.ts",
    from: "maxAgeMs = 24 * 3_600_000",
    to: "maxAgeMs = 25 * 3_600_000",
    tests: described,
  },
  {
    name: "the cached description of another service is used",
    file: "src/openapi/description-store.ts",
    from: "!isRecord(metadata) || metadata.url !== url",
    to: "!isRecord(metadata)",
    tests: described,
  },
];
