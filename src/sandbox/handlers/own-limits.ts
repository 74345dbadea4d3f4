import { wholeSchema } from "../../contract/document/json-schema.ts";
import type { Additions } from "../../contract/document/responses.ts";
import { sandboxChatModel } from "../../core/sandbox.ts";
import { referenceSide } from "../engines/picture/request.ts";
import { discountEnd, maxGpus } from "../rentals/create.ts";
import { extensions } from "./chat.ts";
import { maxSpeechLength, speedRange } from "./media.ts";

const rental = {
  fields: {
    gpuCount: { type: "integer", minimum: 1, maximum: maxGpus },
    discountPercentage: { minimum: 0, exclusiveMaximum: discountEnd },
  },
  notes: [
    "If termType is reserved, termPeriodDays is required, and must be a whole number of at least 1. The term must end before the year 10000.",
    "sshPublicKeyId and sshPublicKeyIds must be IDs of existing SSH keys.",
  ],
};
const volumeNote = "If storageVolume has an id, a volume with this id must exist.";

const attachNote = "rentalIds must be IDs of active bare-metal rentals.";
const terminated = (type: string) => ({ notes: [`rentalId must be the ID of an active ${type} rental.`] });
const priceNote =
  "expectedTotalPriceCents must be the price of termPeriodDays days. The term must end before the year 10000.";
const page = { notes: ["cursor must be the nextCursor of an earlier page."] };

/**
 * The limits that only the sandbox has, by operation. The OpenAPI description contains them. Engines, chat scripts and
 * situations can change these limits.
 */
export const ownLimits: Readonly<Record<string, Pick<Additions, "fields" | "notes">>> = {
  createVirtualMachineRental: rental,
  createBareMetalRental: { ...rental, notes: [...rental.notes, volumeNote] },
  createRental: { ...rental, notes: [...rental.notes, volumeNote] },
  terminateVirtualMachineRental: terminated("virtual-machine"),
  terminateBareMetalRental: terminated("bare-metal"),
  convertToReserved: { notes: [`rentalId must be the ID of an active on-demand rental. ${priceNote}`] },
  extendReserved: {
    notes: [
      `rentalId must be the ID of an active reserved rental. expectedReservedUntil must be the end of the extended term. ${priceNote}`,
    ],
  },
  createStorageVolume: { notes: [attachNote] },
  attachStorageVolume: { notes: [`storageVolumeId must be the ID of a volume. ${attachNote}`] },
  listActiveRentals: page,
  listPastRentals: page,
  listUsage: page,
  revokeApiKey: { notes: ["The built-in keys cannot be revoked: their IDs are rejected."] },
  generateImage: {
    fields: { steps: { minimum: 1 } },
    notes: [
      `image must be a PNG, JPEG or WebP of at most ${referenceSide} x ${referenceSide} pixels, as plain base64. An interlaced or 16-bit PNG can have at most a quarter as many pixels.`,
    ],
  },
  createChatCompletion: {
    fields: {
      messages: { minItems: 1 },
      max_tokens: { minimum: 1 },
      ...wholeSchema(extensions).properties,
    },
    notes: [
      `model must be ${sandboxChatModel}, unless there is a chat script or an engine.`,
      "In messages, content is required, and must not be null, unless the message has tool_calls. A part of type text requires text, and one of type image_url requires image_url.",
    ],
  },
  generateAudio: {
    fields: {
      speed: { minimum: speedRange.min, maximum: speedRange.max },
      text: { maxLength: maxSpeechLength },
    },
    notes: ["text must contain words that the English voice can speak."],
  },
};
