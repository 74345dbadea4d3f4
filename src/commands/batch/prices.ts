import type { Pricing } from "../../batch/engine/run.ts";
import { type BatchRequest, endpoints } from "../../batch/input/lines.ts";
import { picturePrice } from "../../command-kit/inference.ts";
import { asList, asRecord, scalarText } from "../../core/json.ts";
import type { Money } from "../../core/values/money.ts";
import { costOfTokens, type TokenPrices } from "../../core/values/prices.ts";

/** Prices the lines of a batch: pictures by the documented price, and chats by the given prices of their models. */
export function batchPricing(prices: ReadonlyMap<string, TokenPrices>): Pricing {
  const pricesOf = ({ body }: BatchRequest) => prices.get(scalarText(body.model));
  return {
    isExact: (endpoint) => endpoint === "image",
    ceiling: (request) => {
      if (request.endpoint === "image") return priceOfPicture(request);
      const tokens = request.endpoint === "chat" ? pricesOf(request) : undefined;
      return tokens && mostForChat(request, tokens);
    },
    cost: (request, response) => {
      if (request.endpoint === "image") return priceOfPicture(request);
      const tokens = pricesOf(request);
      return tokens && costOfTokens(tokens, asRecord(asRecord(response).usage));
    },
  };
}

const pictureDefaults = Object.fromEntries(
  endpoints.image.fields.flatMap((field) =>
    field.default === undefined ? [] : [[field.name, field.default] as const],
  ),
);

function priceOfPicture({ body }: BatchRequest): Money | undefined {
  const { width, height, steps } = { ...pictureDefaults, ...body };
  return picturePrice({
    width: Number(scalarText(width)),
    height: Number(scalarText(height)),
    steps: Number(scalarText(steps)),
  });
}

/**
 * The maximum cost of a chat. The messages, and other lists and objects such as tools, have at most as many tokens as
 * bytes. `max_tokens` limits the answer, and so does `max_completion_tokens` on some services; the larger one counts.
 * Undefined without `max_tokens`. Undefined if a limit or `n` is not a positive whole number, because the service may
 * then generate any number of tokens or answers. Undefined if a message has a part that is not text, such as a picture,
 * because the number of tokens of that part does not depend on its number of bytes.
 */
function mostForChat({ body }: BatchRequest, prices: TokenPrices): Money | undefined {
  const { max_tokens: maxTokens, max_completion_tokens: maxCompletion, messages, n = 1 } = body;
  const limits = [maxTokens, maxCompletion ?? maxTokens];
  const hasPicture = asList(messages).some((message) =>
    asList(asRecord(message).content).some((part) => asRecord(part).type !== "text"),
  );
  if (hasPicture || !limits.every(isCount) || !isCount(n)) return undefined;
  const inputs = Object.values(body).filter((value) => typeof value === "object" && value !== null);
  return costOfTokens(prices, {
    prompt_tokens: inputs.reduce<number>((sum, value) => sum + Buffer.byteLength(JSON.stringify(value)), 0),
    completion_tokens: Math.max(...limits) * n,
  });
}

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 1;
