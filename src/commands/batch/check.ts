import type { CheckBody } from "../../batch/input/lines.ts";
import type { Context } from "../../command-kit/context.ts";
import type { Operation } from "../../contract/operation.ts";
import { isBase64, pictureKind } from "../../core/pictures/decode.ts";
import { once } from "../../core/tasks/once.ts";
import { issueText } from "../../core/text.ts";

const operationIds = { chat: "createChatCompletion", image: "generateImage", tts: "generateAudio" } as const;

/**
 * Returns a function that checks the bodies of a batch against the contract. It also accepts values that the service's
 * description lists. With `--no-validate`, it accepts everything.
 */
export async function bodyCheck({
  describe,
  settings,
}: Pick<Context, "describe" | "settings">): Promise<CheckBody> {
  if (!settings.validate) return () => [];
  const [{ check }, { checkListed }, { operations }] = await Promise.all([
    import("../../contract/check/check.ts"),
    import("../../contract/check/check-listed.ts"),
    import("../../contract/index.ts"),
  ]);
  const listed = once(async () => {
    const { listsValue } = await import("../../openapi/listed-values.ts");
    const description = await describe().catch(() => undefined);
    return (
      ...[id, path, value]: [Parameters<typeof listsValue>[1], Parameters<typeof listsValue>[2], string]
    ) => description !== undefined && listsValue(description, id, path, value);
  });
  return (endpoint, body) => {
    const id = operationIds[endpoint];
    const operation: Operation = operations[id];
    const checked = check(operation, body);
    if (checked.ok) return unwanted(endpoint, body);
    return checkListed(operation, body, async (path, value) => (await listed())(id, path, value)).then(
      (again) => (again.ok ? unwanted(endpoint, body) : again.issues.map(issueText)),
    );
  };
}

/**
 * Returns problems with values that the service allows, but that no one wants to pay for or that a batch cannot store.
 */
function unwanted(endpoint: keyof typeof operationIds, body: object): readonly string[] {
  const {
    stream,
    prompt,
    steps,
    text,
    image,
  }: { stream?: unknown; prompt?: unknown; steps?: unknown; text?: unknown; image?: unknown } = body;
  if (endpoint === "chat") return stream === true ? ["stream must not be true in a batch"] : [];
  if (endpoint === "tts") return isBlank(text) ? ["text must not be empty"] : [];
  return [
    ...(isBlank(prompt) ? ["prompt must not be empty"] : []),
    ...(typeof steps === "number" && steps < 1 ? [`steps must be at least 1, not ${steps}`] : []),
    ...(typeof image === "string" && !isPicture(image)
      ? ["image must be a PNG, JPEG or WebP picture in base64, without line breaks; a path is not accepted"]
      : []),
  ];
}

/** Whether a text has only characters of base64 and starts as a PNG, JPEG or WebP picture does. */
const isPicture = (text: string): boolean =>
  isBase64(text) && pictureKind(Buffer.from(text.slice(0, 64), "base64")) !== undefined;

const isBlank = (text: unknown): boolean => typeof text === "string" && text.trim() === "";
