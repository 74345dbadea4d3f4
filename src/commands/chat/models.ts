import type { Context } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { offered } from "../../command-kit/described/offered.ts";
import { jsonOf, recordsOf } from "../../command-kit/responses.ts";
import { NoDescription, NotOffered } from "../../core/errors.ts";
import { firstAt } from "../../core/json.ts";
import { assertList, assertSuccess } from "../../core/responses/success.ts";
import { InvalidResponse } from "../../core/service-errors.ts";
import { modelsListing } from "../../openapi/resources.ts";
import { isWord, plainText } from "../../output/text.ts";
import type { Prompts } from "../../system/types.ts";

export default defineCommand({
  path: "chat models",
  summary: "List the chat models, if the service lists them",
  view: {
    kind: "list",
    columns: [
      { title: "MODEL", paths: ["id"] },
      { title: "OWNED BY", paths: ["owned_by"] },
    ],
    empty: "No models.",
    id: ["id"],
  },
  examples: [
    { text: "List the models", command: "gpuctl chat models --sandbox" },
    { text: "Print only the names", command: "gpuctl chat models -o id --sandbox" },
  ],
  run: async (context) => ({ data: await chatModels(context) }),
});

/**
 * Returns the service's list of chat models. Throws `NotOffered` if the service does not list them, `NoDescription` if
 * the service's OpenAPI description is not available, and `InvalidResponse` if the response is not a list.
 */
async function chatModels({ describe, request }: Pick<Context, "describe" | "request">): Promise<unknown> {
  const needed = {
    that: "the service lists its chat models",
    missing: "the service does not list its chat models",
    hint,
  };
  const { found } = await offered(modelsListing, needed, { describe });
  const response = await request({ host: "inference", method: "GET", path: found.path });
  const models = jsonOf(response);
  assertSuccess(models, response);
  assertList(models, response.status, response.request);
  return models;
}

/**
 * The names of the chat models. Empty if the service does not list them, if its OpenAPI description is not available,
 * or if the list cannot be used.
 */
export async function modelNames(context: Pick<Context, "describe" | "request">): Promise<readonly string[]> {
  try {
    return recordsOf(await chatModels(context))
      .map((one) => plainText(firstAt(one, ["id"])))
      .filter(isWord);
  } catch (error) {
    const isMissing =
      error instanceof NotOffered || error instanceof NoDescription || error instanceof InvalidResponse;
    if (isMissing) return [];
    throw error;
  }
}

/** Asks for a chat model. Offers the models that the service lists; if it lists none, accepts any name. */
export async function pickModel(
  { choose, text }: Prompts,
  context: Pick<Context, "describe" | "request">,
  current?: string,
): Promise<string> {
  const choices = await modelNames(context);
  const validate = (answer: string) => (answer.trim() === "" ? "A value is required" : undefined);
  const question = { message: "Chat model", initial: current, validate };
  return choices.length > 0 ? choose({ ...question, choices }) : text(question);
}

const hint =
  "See the service's documentation for the names of its models; --model takes any name, and `gpuctl config set chat.model NAME` saves one.";
