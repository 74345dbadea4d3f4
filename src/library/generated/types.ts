// Made by `npm run generate`; do not edit.
export type GetOpenApiDocumentInput = Record<string, never>;
/**
 * Identifier
 */
export type Id = number | string;
export type ListBareMetalRentalsInput = Record<string, never>;
export type GetActiveRentalSummaryInput = Record<string, never>;
export type ListRentalHistoryInput = Record<string, never>;
export type ListStorageVolumesInput = Record<string, never>;
export type DeleteCurrentUserInput = Record<string, never>;
export type DeleteCurrentUserLegacyInput = Record<string, never>;
export type ListBareMetalRentalsOutput = RentalWithStatus[];
export type ListVirtualMachineRentalsOutput = RentalWithStatus[];
/**
 * The rental, or null when no such rental belongs to the caller
 */
export type GetRentalOutput = (ActiveRentalLookup | TerminatedRentalLookup) | null;
export type ListRentalHistoryOutput = HistoricalRental[];
export type ListStorageVolumesOutput = StorageVolume[];

/**
 * What each operation takes.
 */
export interface Inputs {
  /**
   * Describe the operations that this environment enables: `GET /v2/openapi.json`.
   */
  getOpenApiDocument: GetOpenApiDocumentInput;
  /**
   * Rent bare-metal machines: `POST /v2/on-demand/bare-metal-rentals`.
   */
  createBareMetalRental: CreateBareMetalRentalInput;
  /**
   * List all active bare-metal rentals: `GET /v2/on-demand/bare-metal-rentals`.
   */
  listBareMetalRentals: ListBareMetalRentalsInput;
  /**
   * Rent a virtual machine: `POST /v2/on-demand/virtual-machine-rentals`.
   */
  createVirtualMachineRental: CreateVirtualMachineRentalInput;
  /**
   * List all active virtual-machine rentals: `GET /v2/on-demand/virtual-machine-rentals`.
   */
  listVirtualMachineRentals: ListVirtualMachineRentalsInput;
  /**
   * Convert an on-demand rental to a reserved term: `POST /v2/on-demand/convert-to-reserved`.
   */
  convertToReserved: ConvertToReservedInput;
  /**
   * Extend a reserved term: `POST /v2/on-demand/extend-reserved`.
   */
  extendReserved: ExtendReservedInput;
  /**
   * Ask for a reservation of many GPUs: `POST /v2/on-demand/request-reservation`.
   */
  requestReservation: RequestReservationInput;
  /**
   * Count the active rentals and add up their hourly cost: `GET /v2/on-demand/active-rental-summary`.
   */
  getActiveRentalSummary: GetActiveRentalSummaryInput;
  /**
   * Look up one rental, running or ended: `GET /v2/on-demand/rental`.
   */
  getRental: GetRentalInput;
  /**
   * List all past rentals: `GET /v2/on-demand/rental-history`.
   */
  listRentalHistory: ListRentalHistoryInput;
  /**
   * Create a storage volume: `POST /v2/on-demand/storage-volumes`.
   */
  createStorageVolume: CreateStorageVolumeInput;
  /**
   * List the storage volumes: `GET /v2/on-demand/storage-volumes`.
   */
  listStorageVolumes: ListStorageVolumesInput;
  /**
   * Attach a storage volume to bare-metal rentals: `POST /v2/on-demand/storage-volumes/attach`.
   */
  attachStorageVolume: AttachStorageVolumeInput;
  /**
   * Change the current user: `PUT /v2/users/me`.
   */
  updateCurrentUser: UpdateCurrentUserInput;
  /**
   * Delete the current user: `DELETE /v2/users/me`.
   */
  deleteCurrentUser: DeleteCurrentUserInput;
  /**
   * Change the current user: `PUT /users/me`.
   *
   * No longer served from 2027-03-01.
   *
   * @deprecated Use updateCurrentUser.
   */
  updateCurrentUserLegacy: UpdateCurrentUserLegacyInput;
  /**
   * Delete the current user: `DELETE /users/me`.
   *
   * No longer served from 2027-03-01.
   *
   * @deprecated Use deleteCurrentUser.
   */
  deleteCurrentUserLegacy: DeleteCurrentUserLegacyInput;
  /**
   * Answer a conversation: `POST /v1/chat/completions`.
   */
  createChatCompletion: CreateChatCompletionInput;
  /**
   * Generate a picture: `POST /v1/image/generation`.
   *
   * - width x height is one of 1024x1024, 1152x896, 1216x832, 1344x768, 1536x640, 1664x2432, 2048x2048, 2432x1664, 640x1536, 768x1344, 832x1216
   * - a reference picture is taken by SDXL1.0-base, SDXL-turbo, SD2, SD1.5, SSD only
   * - prompt_2, negative_prompt_2, enable_refiner are for SDXL1.0-base, SDXL-turbo only
   * - LoRA names are those of the model
   */
  generateImage: GenerateImageInput;
  /**
   * Speak a text: `POST /v1/audio/generation`.
   */
  generateAudio: GenerateAudioInput;
}
export interface CreateBareMetalRentalInput {
  /**
   * Network between the machines
   */
  networkType: "infiniband" | "ethernet";
  /**
   * Number of GPUs; a machine has 8 (at least 1, a multiple of 8)
   */
  gpuCount: number;
  /**
   * Where the machines stand (default us-central-1)
   */
  region?:
    | "us-central-1"
    | "uk-central-3"
    | "uk-southeast-3"
    | "eu-southwest-3"
    | "eu-southwest-3-1"
    | "eu-west-3"
    | "eu-west-4";
  /**
   * GPU model (default h100)
   */
  gpuType?: "h100" | "h200" | "b200" | "rtx-6000-pro";
  /**
   * Name of the rental
   */
  label?: string;
  /**
   * How the rental is billed (default on-demand)
   */
  termType?: "on-demand" | "reserved";
  /**
   * Length of a reserved term in days
   */
  termPeriodDays?: number;
  /**
   * Discount on the price, in percent (default 0)
   */
  discountPercentage?: number;
  /**
   * Collect metrics
   */
  monitoringEnabled?: boolean;
  /**
   * Go on as on-demand when the reserved term ends (default true)
   */
  convertToOnDemandOnExpiry?: boolean;
  /**
   * SSH public key to put on the machine
   */
  sshPublicKeyId?: number;
  /**
   * SSH public keys to put on the machine (at least 1 item)
   */
  sshPublicKeyIds?: number[];
  /**
   * CUDA version to install
   */
  cudaVersion?: "cuda12.8" | "cuda12.9";
  /**
   * Storage volume to attach
   */
  storageVolume?: ExistingStorageVolume | NewStorageVolume;
}
/**
 * A volume that exists
 */
export interface ExistingStorageVolume {
  isNew: false;
  /**
   * Identifier
   */
  id: Id;
}
/**
 * A volume to create with the rental
 */
export interface NewStorageVolume {
  isNew: true;
  /**
   * Label: letters, digits, underscores and dashes (4 to 255 characters, matching ^[a-zA-Z0-9_-]+$)
   */
  label: string;
  /**
   * Size in GB (256 to 64000)
   */
  sizeInGb: number;
}
export interface CreateVirtualMachineRentalInput {
  /**
   * Number of GPUs
   */
  gpuCount: number;
  /**
   * Network of the machine (default ethernet)
   */
  networkType?: "infiniband" | "ethernet";
  /**
   * Where the machine stands (default us-central-1)
   */
  region?:
    | "us-central-1"
    | "us-central-2"
    | "eu-north-2"
    | "eu-west-2"
    | "eu-north-4"
    | "eu-north-5"
    | "us-east-1"
    | "us-east-2"
    | "ca-east-3"
    | "eu-north-6"
    | "eu-north-7"
    | "eu-north-8"
    | "ca-west-1"
    | "ca-east-1"
    | "us-central-3"
    | "us-southeast-1"
    | "me-central-1"
    | "ca-east-2"
    | "eu-west-1"
    | "us-southeast-2"
    | "jp-east-1"
    | "us-southeast-3"
    | "eu-west-5"
    | "us-east-3";
  /**
   * GPU model (default h100)
   */
  gpuType?: "h100" | "h200" | "b200" | "rtx-6000-pro";
  /**
   * Name of the rental
   */
  label?: string;
  /**
   * How the rental is billed (default on-demand)
   */
  termType?: "on-demand" | "reserved";
  /**
   * Length of a reserved term in days
   */
  termPeriodDays?: number;
  /**
   * Discount on the price, in percent (default 0)
   */
  discountPercentage?: number;
  /**
   * Collect metrics
   */
  monitoringEnabled?: boolean;
  /**
   * Go on as on-demand when the reserved term ends (default true)
   */
  convertToOnDemandOnExpiry?: boolean;
  /**
   * SSH public key to put on the machine
   */
  sshPublicKeyId?: number;
  /**
   * SSH public keys to put on the machine (at least 1 item)
   */
  sshPublicKeyIds?: number[];
  /**
   * Ports to open beside SSH (at most 20 items, each 1 to 65535)
   */
  customPorts?: number[];
}
export interface ListVirtualMachineRentalsInput {
  /**
   * Also list rentals that belong to cluster pools
   */
  includeClusterPools?: boolean;
}
export interface ConvertToReservedInput {
  /**
   * Id of the rental
   */
  rentalId: Id;
  /**
   * Length of the reserved term in days (more than 0)
   */
  termPeriodDays: number;
  /**
   * Total price that you expect to pay, in cents (more than 0)
   */
  expectedTotalPriceCents: number;
}
export interface ExtendReservedInput {
  /**
   * Id of the rental
   */
  rentalId: Id;
  /**
   * Length of the reserved term in days (more than 0)
   */
  termPeriodDays: number;
  /**
   * Total price that you expect to pay, in cents (more than 0)
   */
  expectedTotalPriceCents: number;
  /**
   * End of the term that you expect after the extension
   */
  expectedReservedUntil: string;
}
export interface RequestReservationInput {
  /**
   * Number of GPUs (at least 1)
   */
  gpuCount: number;
}
export interface GetRentalInput {
  /**
   * Id of the rental
   */
  rentalId: string;
}
export interface CreateStorageVolumeInput {
  /**
   * Where the volume is kept
   */
  region:
    | "us-central-1"
    | "us-central-2"
    | "eu-north-2"
    | "eu-west-2"
    | "eu-north-4"
    | "eu-north-5"
    | "us-east-1"
    | "us-east-2"
    | "ca-east-3"
    | "eu-north-6"
    | "eu-north-7"
    | "eu-north-8"
    | "ca-west-1"
    | "ca-east-1"
    | "us-central-3"
    | "us-southeast-1"
    | "me-central-1"
    | "ca-east-2"
    | "eu-west-1"
    | "us-southeast-2"
    | "jp-east-1"
    | "us-southeast-3"
    | "eu-west-5"
    | "us-east-3"
    | "uk-central-3"
    | "uk-southeast-3"
    | "eu-southwest-3"
    | "eu-southwest-3-1"
    | "eu-west-3"
    | "eu-west-4";
  /**
   * Label: letters, digits, underscores and dashes (4 to 255 characters, matching ^[a-zA-Z0-9_-]+$)
   */
  label: string;
  /**
   * Size in GB (256 to 64000, a multiple of 256)
   */
  sizeInGb: number;
  /**
   * Rentals to attach it to
   */
  rentalIds?: Id[];
}
export interface AttachStorageVolumeInput {
  /**
   * Id of the volume
   */
  storageVolumeId: Id;
  /**
   * Bare-metal rentals to attach it to (at least 1 item)
   */
  rentalIds: Id[];
}
export interface UpdateCurrentUserInput {
  /**
   * What the account is used for
   */
  onboardedFor?: string;
  /**
   * Name of the user
   */
  name?: string;
}
export interface UpdateCurrentUserLegacyInput {
  /**
   * What the account is used for
   */
  onboardedFor?: string;
  /**
   * Name of the user
   */
  name?: string;
}
export interface CreateChatCompletionInput {
  /**
   * Chat model
   */
  model: string;
  /**
   * The conversation so far
   */
  messages: ChatMessage[];
  /**
   * Longest answer, in tokens
   */
  max_tokens?: number;
  /**
   * Randomness of the answer
   */
  temperature?: number;
  [k: string]: unknown;
}
/**
 * A message of a conversation
 */
export interface ChatMessage {
  /**
   * Who speaks, such as system, user or assistant
   */
  role: string;
  /**
   * What is said
   */
  content: string;
  [k: string]: unknown;
}
export interface GenerateImageInput {
  /**
   * Image model
   */
  model_name: "FLUX.1-dev" | "SDXL1.0-base" | "SDXL-turbo" | "SD2" | "SD1.5" | "SSD";
  /**
   * What the picture shows
   */
  prompt: string;
  /**
   * Height in pixels (default 1024)
   */
  height?: number;
  /**
   * Width in pixels (default 1024)
   */
  width?: number;
  /**
   * Inference steps (default 30)
   */
  steps?: number;
  /**
   * How closely to follow the prompt; 5 to 15 is usual (default 5)
   */
  cfg_scale?: number;
  /**
   * What the picture must not show
   */
  negative_prompt?: string;
  /**
   * Seed; the same seed gives the same picture
   */
  seed?: number;
  /**
   * Sampler
   */
  sampler?: string;
  /**
   * auto picks by itself, tvm is made for speed, torch is more flexible (default auto)
   */
  backend?: "auto" | "tvm" | "torch";
  /**
   * Second prompt (SDXL models)
   */
  prompt_2?: string;
  /**
   * Second negative prompt (SDXL models)
   */
  negative_prompt_2?: string;
  /**
   * Run the refiner (SDXL models)
   */
  enable_refiner?: boolean;
  /**
   * Reference picture for image-to-image
   */
  image?: string;
  /**
   * How far the picture moves away from the reference (0 to 1)
   */
  strength?: number;
  /**
   * LoRA weights by name (SDXL1.0-base, SD1.5) (each 0 to 1)
   */
  lora?: {
    [k: string]: number;
  };
}
export interface GenerateAudioInput {
  /**
   * What to say
   */
  text: string;
  /**
   * Speed; 1 is normal
   */
  speed?: number;
  [k: string]: unknown;
}
/**
 * What each operation answers.
 */
export interface Outputs {
  getOpenApiDocument: OpenApiDocument;
  createBareMetalRental: Rental;
  listBareMetalRentals: ListBareMetalRentalsOutput;
  createVirtualMachineRental: Rental;
  listVirtualMachineRentals: ListVirtualMachineRentalsOutput;
  convertToReserved: ReservedRentalConversion;
  extendReserved: ReservedRentalExtension;
  requestReservation: ReservationRequested;
  getActiveRentalSummary: ActiveRentalSummary;
  getRental: GetRentalOutput;
  listRentalHistory: ListRentalHistoryOutput;
  createStorageVolume: CreatedStorageVolume;
  listStorageVolumes: ListStorageVolumesOutput;
  attachStorageVolume: AttachStorageVolumeResponse;
  updateCurrentUser: UserUpdated;
  deleteCurrentUser: UserDeleted;
  updateCurrentUserLegacy: UserUpdated;
  deleteCurrentUserLegacy: UserDeleted;
  createChatCompletion: ChatCompletion;
  generateImage: GeneratedImages;
  generateAudio: GeneratedAudio;
}
/**
 * OpenAPI 3.1 description of the enabled operations
 */
export interface OpenApiDocument {
  openapi: string;
  info: {
    title: string;
    version: string;
    [k: string]: unknown;
  };
  servers: {
    url: string;
    [k: string]: unknown;
  }[];
  paths: {
    [k: string]: unknown;
  };
  tags?: unknown[];
  components?: {
    [k: string]: unknown;
  };
  [k: string]: unknown;
}
/**
 * A rental that was just created
 */
export interface Rental {
  id?: Id | null;
  state?: string | null;
  status?: string | null;
  label?: string | null;
  rentalType?: string | null;
  gpuCount?: number | null;
  gpuType?: string | null;
  region?: string | null;
  networkType?: string | null;
  termType?: string | null;
  termPeriodDays?: number | null;
  reservedUntil?: string | null;
  convertToOnDemandOnExpiry?: boolean | null;
  costPerHourCents?: number | null;
  createdAt?: string | null;
  startedAt?: string | null;
  terminatedAt?: string | null;
  currentTerm?: {
    termType?: string | null;
    costPerHourCents?: number | null;
    [k: string]: unknown;
  } | null;
  providerData?: {
    sshNetworking?:
      | {
          host?: string | null;
          port?: number | null;
          user?: string | null;
          [k: string]: unknown;
        }[]
      | null;
    nodeNetworking?:
      | {
          publicIp?: string | null;
          [k: string]: unknown;
        }[]
      | null;
    [k: string]: unknown;
  } | null;
  [k: string]: unknown;
}
/**
 * An active rental and its status
 */
export interface RentalWithStatus {
  id?: Id | null;
  state?: string | null;
  status?: string | null;
  label?: string | null;
  rentalType?: string | null;
  gpuCount?: number | null;
  gpuType?: string | null;
  region?: string | null;
  networkType?: string | null;
  termType?: string | null;
  termPeriodDays?: number | null;
  reservedUntil?: string | null;
  convertToOnDemandOnExpiry?: boolean | null;
  costPerHourCents?: number | null;
  createdAt?: string | null;
  startedAt?: string | null;
  terminatedAt?: string | null;
  currentTerm?: {
    termType?: string | null;
    costPerHourCents?: number | null;
    [k: string]: unknown;
  } | null;
  providerData?: {
    sshNetworking?:
      | {
          host?: string | null;
          port?: number | null;
          user?: string | null;
          [k: string]: unknown;
        }[]
      | null;
    nodeNetworking?:
      | {
          publicIp?: string | null;
          [k: string]: unknown;
        }[]
      | null;
    [k: string]: unknown;
  } | null;
  [k: string]: unknown;
}
/**
 * The reserved term that a rental was converted to
 */
export interface ReservedRentalConversion {
  rentalId?: Id | null;
  termType?: string | null;
  termPeriodDays?: number | null;
  totalPriceCents?: number | null;
  reservedUntil?: string | null;
  [k: string]: unknown;
}
/**
 * The later end of a reserved term
 */
export interface ReservedRentalExtension {
  rentalId?: Id | null;
  termType?: string | null;
  termPeriodDays?: number | null;
  totalPriceCents?: number | null;
  reservedUntil?: string | null;
  [k: string]: unknown;
}
/**
 * What happens next
 */
export interface ReservationRequested {
  message: string;
}
/**
 * Count of the caller's active rentals and the sum of their hourly cost in cents, in total and per term type
 */
export interface ActiveRentalSummary {
  count?: number | null;
  costPerHourCents?: number | null;
  byTermType?: {
    [k: string]: {
      count?: number | null;
      costPerHourCents?: number | null;
      [k: string]: unknown;
    };
  } | null;
  [k: string]: unknown;
}
/**
 * A rental that runs
 */
export interface ActiveRentalLookup {
  id?: Id | null;
  state: "active";
  status?: string | null;
  label?: string | null;
  rentalType?: string | null;
  gpuCount?: number | null;
  gpuType?: string | null;
  region?: string | null;
  networkType?: string | null;
  termType?: string | null;
  termPeriodDays?: number | null;
  reservedUntil?: string | null;
  convertToOnDemandOnExpiry?: boolean | null;
  costPerHourCents?: number | null;
  createdAt?: string | null;
  startedAt?: string | null;
  terminatedAt?: string | null;
  currentTerm?: {
    termType?: string | null;
    costPerHourCents?: number | null;
    [k: string]: unknown;
  } | null;
  providerData?: {
    sshNetworking?:
      | {
          host?: string | null;
          port?: number | null;
          user?: string | null;
          [k: string]: unknown;
        }[]
      | null;
    nodeNetworking?:
      | {
          publicIp?: string | null;
          [k: string]: unknown;
        }[]
      | null;
    [k: string]: unknown;
  } | null;
  [k: string]: unknown;
}
/**
 * A rental that has ended
 */
export interface TerminatedRentalLookup {
  id?: Id | null;
  state: "terminated";
  status?: string | null;
  label?: string | null;
  rentalType?: string | null;
  gpuCount?: number | null;
  gpuType?: string | null;
  region?: string | null;
  networkType?: string | null;
  termType?: string | null;
  termPeriodDays?: number | null;
  reservedUntil?: string | null;
  convertToOnDemandOnExpiry?: boolean | null;
  costPerHourCents?: number | null;
  createdAt?: string | null;
  startedAt?: string | null;
  terminatedAt?: string | null;
  currentTerm?: {
    termType?: string | null;
    costPerHourCents?: number | null;
    [k: string]: unknown;
  } | null;
  providerData?: {
    sshNetworking?:
      | {
          host?: string | null;
          port?: number | null;
          user?: string | null;
          [k: string]: unknown;
        }[]
      | null;
    nodeNetworking?:
      | {
          publicIp?: string | null;
          [k: string]: unknown;
        }[]
      | null;
    [k: string]: unknown;
  } | null;
  [k: string]: unknown;
}
/**
 * A past rental
 */
export interface HistoricalRental {
  id?: Id | null;
  state?: string | null;
  status?: string | null;
  label?: string | null;
  rentalType?: string | null;
  gpuCount?: number | null;
  gpuType?: string | null;
  region?: string | null;
  networkType?: string | null;
  termType?: string | null;
  termPeriodDays?: number | null;
  reservedUntil?: string | null;
  convertToOnDemandOnExpiry?: boolean | null;
  costPerHourCents?: number | null;
  createdAt?: string | null;
  startedAt?: string | null;
  terminatedAt?: string | null;
  currentTerm?: {
    termType?: string | null;
    costPerHourCents?: number | null;
    [k: string]: unknown;
  } | null;
  providerData?: {
    sshNetworking?:
      | {
          host?: string | null;
          port?: number | null;
          user?: string | null;
          [k: string]: unknown;
        }[]
      | null;
    nodeNetworking?:
      | {
          publicIp?: string | null;
          [k: string]: unknown;
        }[]
      | null;
    [k: string]: unknown;
  } | null;
  [k: string]: unknown;
}
/**
 * A storage volume that was just created
 */
export interface CreatedStorageVolume {
  id?: Id | null;
  label?: string | null;
  sizeInGb?: number | null;
  region?: string | null;
  rentalIds?: Id[] | null;
  createdAt?: string | null;
  [k: string]: unknown;
}
/**
 * A storage volume
 */
export interface StorageVolume {
  id?: Id | null;
  label?: string | null;
  sizeInGb?: number | null;
  region?: string | null;
  rentalIds?: Id[] | null;
  createdAt?: string | null;
  [k: string]: unknown;
}
/**
 * A volume and the rentals it is attached to
 */
export interface AttachStorageVolumeResponse {
  storageVolumeId?: Id | null;
  rentalIds?: Id[] | null;
  [k: string]: unknown;
}
/**
 * The user after the change
 */
export interface UserUpdated {
  success: boolean;
  user: User;
  [k: string]: unknown;
}
/**
 * The current user
 */
export interface User {
  id?: string;
  email?: string;
  name?: string;
  picture?: string;
  provider?: string;
  emailVerified?: boolean;
  isActive?: boolean;
  /**
   * When the account was made, in UTC with milliseconds
   */
  createdAt?: string;
  /**
   * When onboarding was done
   */
  onboardedAt?: string;
  onboardedFor?: string;
  referralCode?: string;
  [k: string]: unknown;
}
/**
 * Whether the user was deleted
 */
export interface UserDeleted {
  success: boolean;
  [k: string]: unknown;
}
/**
 * The answer
 */
export interface ChatCompletion {
  choices: {
    message: {
      content?: string | null;
      [k: string]: unknown;
    };
    [k: string]: unknown;
  }[];
  [k: string]: unknown;
}
/**
 * The generated pictures
 */
export interface GeneratedImages {
  images: {
    /**
     * Base64 of the picture's bytes
     */
    image: string;
    [k: string]: unknown;
  }[];
  [k: string]: unknown;
}
/**
 * The generated speech
 */
export interface GeneratedAudio {
  /**
   * Base64 of the recording's bytes
   */
  audio: string;
  [k: string]: unknown;
}

/** Operations whose answer may come in pieces. */
export type StreamedId = "createChatCompletion";
export type GetOpenApiDocumentOutput = OpenApiDocument;
export type CreateBareMetalRentalOutput = Rental;
export type CreateVirtualMachineRentalOutput = Rental;
export type ConvertToReservedOutput = ReservedRentalConversion;
export type ExtendReservedOutput = ReservedRentalExtension;
export type RequestReservationOutput = ReservationRequested;
export type GetActiveRentalSummaryOutput = ActiveRentalSummary;
export type CreateStorageVolumeOutput = CreatedStorageVolume;
export type AttachStorageVolumeOutput = AttachStorageVolumeResponse;
export type UpdateCurrentUserOutput = UserUpdated;
export type DeleteCurrentUserOutput = UserDeleted;
export type UpdateCurrentUserLegacyOutput = UserUpdated;
export type DeleteCurrentUserLegacyOutput = UserDeleted;
export type CreateChatCompletionOutput = ChatCompletion;
export type GenerateImageOutput = GeneratedImages;
export type GenerateAudioOutput = GeneratedAudio;
