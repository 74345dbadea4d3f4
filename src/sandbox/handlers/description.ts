import { type OpenApiDocument, openApi, type SentFields } from "../../contract/document/openapi.ts";
import type { Additions } from "../../contract/document/responses.ts";
import { operations } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";
import { ignoredFieldsHeader, replyHeader } from "../../core/sandbox.ts";
import { payloadTooLarge } from "../errors.ts";
import { inferenceErrorBody, isInferencePath, withCommonError } from "../inference-errors.ts";
import { enabledOperations, type OperationSet } from "../operation-set.ts";
import type { Handlers } from "./handler.ts";
import { ownLimits } from "./own-limits.ts";

const drawsOrSpeaks: readonly string[] = [operations.generateImage.id, operations.generateAudio.id];

/** Limits, responses and headers of the sandbox that the service does not document. */
const additions = (operation: Operation): Additions => ({
  ...ownLimits[operation.id],
  ...(operation.in === "body" && { errors: [payloadTooLarge] }),
  ...(isInferencePath(operation.path) && {
    errorBody: inferenceErrorBody,
    exampleOf: ({ status, code, message }) => withCommonError({ code, message, issues: [] }, status),
  }),
  ...(operation.id === operations.createChatCompletion.id && {
    headers: { [replyHeader]: "Index of the reply in the chat script" },
  }),
  ...(operation.sunset && { headers: { Deprecation: "true on a deprecated path" } }),
  ...(drawsOrSpeaks.includes(operation.id) && {
    headers: { [ignoredFieldsHeader]: "Fields of the request that had no effect" },
  }),
  ...(operation.id === operations.getOpenApiDocument.id && {
    headers: { ETag: "Version of the description, for If-None-Match" },
    empty: { 304: "The description has not changed" },
  }),
});

/** The records that the service names but does not document, as the sandbox sends them. */
const sent: SentFields = {
  records: [
    "Rental",
    "RentalWithStatus",
    "HistoricalRental",
    "ActiveRentalLookup",
    "TerminatedRentalLookup",
    "ActiveRentalSummary",
    "StorageVolume",
    "CreatedStorageVolume",
    "AttachStorageVolumeResponse",
    "ReservedRentalConversion",
    "ReservedRentalExtension",
    "User",
  ],
  // Only lookups have `state`. The sandbox lists addresses only in `sshNetworking`.
  absent: ["state", "nodeNetworking"],
  nullable: ["providerData", "reservedUntil", "startedAt", "termPeriodDays", "terminatedAt"],
};

/**
 * The last OpenAPI description of each operation set, without its server. The descriptions are kept because building
 * one takes a long time.
 */
const built = new Map<OperationSet, { readonly ids: string; readonly document: OpenApiDocument }>();

function documentOf(operationSet: OperationSet, now: number): OpenApiDocument {
  const enabled = enabledOperations(operationSet, now);
  const ids = enabled.map(({ id }) => id).join(" ");
  const known = built.get(operationSet);
  if (known?.ids === ids) return known.document;
  const title = "Compute and inference service (gpuctl sandbox)";
  const document = openApi(enabled, { title, servers: [], accepted: true, additions, sent });
  built.set(operationSet, { ids, document });
  return document;
}

/** The OpenAPI description of an operation set. Leaves out operations that are no longer served at `now`. */
export const servedDescription = (
  operationSet: OperationSet,
  now: number,
  origin: string,
): OpenApiDocument => ({ ...documentOf(operationSet, now), servers: [{ url: origin }] });

export const description = {
  getOpenApiDocument: (_input, { exchange, now, operationSet }) =>
    servedDescription(operationSet, now, new URL(exchange.request.url).origin),
} satisfies Partial<Handlers>;
