/**
 * Sections 2 to 9 of the service's specification, copied by hand. gpuctl takes its limits from `src/contract`.
 * This table does not, so the tests that use it find a wrong limit in the contract.
 */

/** A field of a request. */
export interface FieldRow {
  readonly required?: true;
  readonly default?: unknown;
  /**
   * The keywords of its JSON Schema, without `description` and `default`. Most IDs have only a `$ref`. An empty schema
   * is not compared.
   */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Values that the service accepts, such as both ends of a range. */
  readonly accepts: readonly unknown[];
  /** Values that the service rejects with 400. */
  readonly rejects: readonly unknown[];
  /** Whether the service also rejects a value with 400 if it names a resource that does not exist. */
  readonly isReference?: true;
}

/** What the specification says about an operation. The key of a row is `METHOD /path`. */
export interface OperationRow {
  readonly host?: "inference";
  readonly deprecated?: true;
  readonly sunset?: "2027-03-01";
  readonly replacedBy?: string;
  readonly failures: readonly number[];
  readonly fields?: Readonly<Record<string, FieldRow>>;
  /** An input that the service accepts. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** Changes to `input` that break a rule about several fields, each with the field that the service rejects. */
  readonly breaks?: readonly (readonly [field: string, changes: Readonly<Record<string, unknown>>])[];
  /** Changes to `input` that break no rule about several fields. */
  readonly follows?: readonly Readonly<Record<string, unknown>>[];
}

const maxId = 9007199254740991;
const failures = [400, 401, 403, 500];
const lookupFailures = [400, 401, 403, 404, 500];

const id: FieldRow = {
  schema: { $ref: "#/components/schemas/Id" },
  accepts: [1, maxId, "a"],
  rejects: [0, -1, 1.5, maxId + 1, "", true],
  isReference: true,
};

const networkTypes = ["infiniband", "ethernet"];
const gpuTypes = ["h100", "h200", "b200", "rtx-6000-pro"];
const termTypes = ["on-demand", "reserved"];
const cudaVersions = ["cuda12.8", "cuda12.9"];
const bareMetalRegions = [
  "us-central-1",
  "uk-central-3",
  "uk-southeast-3",
  "eu-southwest-3",
  "eu-southwest-3-1",
  "eu-west-3",
  "eu-west-4",
];
const virtualMachineRegions = [
  "us-central-1",
  "us-central-2",
  "eu-north-2",
  "eu-west-2",
  "eu-north-4",
  "eu-north-5",
  "us-east-1",
  "us-east-2",
  "ca-east-3",
  "eu-north-6",
  "eu-north-7",
  "eu-north-8",
  "ca-west-1",
  "ca-east-1",
  "us-central-3",
  "us-southeast-1",
  "me-central-1",
  "ca-east-2",
  "eu-west-1",
  "us-southeast-2",
  "jp-east-1",
  "us-southeast-3",
  "eu-west-5",
  "us-east-3",
];

const oneOf = (values: readonly string[]): FieldRow => ({
  schema: { type: "string", enum: values },
  accepts: values,
  rejects: ["another", values[0]?.toUpperCase(), "", 1],
});
const text: FieldRow = { schema: { type: "string" }, accepts: ["a", "Two words"], rejects: [1, true] };
const flag: FieldRow = { schema: { type: "boolean" }, accepts: [true, false], rejects: ["yes", 1] };
const number: FieldRow = { schema: { type: "number" }, accepts: [1, 2.5], rejects: ["many", true] };
/** An integer without documented limits must be one that JavaScript represents exactly. */
const safe = { minimum: -maxId, maximum: maxId };
const integer: FieldRow = { schema: { type: "integer", ...safe }, accepts: [1, 40], rejects: [1.5, "many"] };
const required = (row: FieldRow): FieldRow => ({ ...row, required: true });
const withDefault = (row: FieldRow, value: unknown): FieldRow => ({ ...row, default: value });

const sshKeyId: FieldRow = {
  schema: { type: "integer", minimum: -maxId, maximum: maxId },
  accepts: [1, maxId],
  rejects: [1.5, maxId + 1, "a"],
  isReference: true,
};
const rentalFields = {
  gpuType: withDefault(oneOf(gpuTypes), "h100"),
  label: text,
  termType: withDefault(oneOf(termTypes), "on-demand"),
  termPeriodDays: number,
  discountPercentage: withDefault(number, 0),
  monitoringEnabled: flag,
  convertToOnDemandOnExpiry: withDefault(flag, true),
  sshPublicKeyId: sshKeyId,
  sshPublicKeyIds: {
    schema: { type: "array", minItems: 1, items: sshKeyId.schema },
    accepts: [[1], [1, 2]],
    rejects: [[], [1.5], [maxId + 1]],
    isReference: true,
  },
} satisfies Record<string, FieldRow>;

const volumeLabel: FieldRow = {
  schema: { type: "string", minLength: 4, maxLength: 255, pattern: "^[a-zA-Z0-9_-]+$" },
  accepts: ["data", "A-1_", "a".repeat(255)],
  rejects: ["abc", "a".repeat(256), "with space", "däta", ""],
};

const existingVolume = { isNew: false, id: 501 };
const newVolume = { isNew: true, label: "data", sizeInGb: 256 };

const termFields = {
  rentalId: required(id),
  termPeriodDays: required({
    schema: { type: "integer", exclusiveMinimum: 0, maximum: maxId },
    accepts: [1, 30],
    rejects: [0, -1, 1.5, maxId + 1, "a"],
  }),
  expectedTotalPriceCents: required({
    schema: { type: "integer", exclusiveMinimum: 0, maximum: maxId },
    accepts: [1, maxId],
    rejects: [0, -1, 1.5, maxId + 1, "a"],
  }),
} satisfies Record<string, FieldRow>;
const term = { rentalId: 1001, termPeriodDays: 30, expectedTotalPriceCents: 100 };

const imageModels = ["FLUX.1-dev", "SDXL1.0-base", "SDXL-turbo", "SD2", "SD1.5", "SSD"];
const [xlLora, otherLora] = ["Crayons", "Superhero"];
/** Service section 4.5, rule 1. */
export const resolutions = [
  [1024, 1024],
  [1152, 896],
  [1216, 832],
  [1344, 768],
  [1536, 640],
  [1664, 2432],
  [2048, 2048],
  [2432, 1664],
  [640, 1536],
  [768, 1344],
  [832, 1216],
] as const;
const lorasOf = {
  "SDXL1.0-base": [
    "Add_Detail",
    "More_Art",
    "Pixel_Art",
    "Logo",
    "Sci-fi",
    "Crayons",
    "Paint_Splash",
    "Outdoor_Product_Photography",
  ],
  "SD1.5": ["Add_Detail", "Superhero", "Lineart", "Anime_Lineart", "Cartoon_Background", "Pencil_Sketch"],
};

const userFields: OperationRow = {
  failures: lookupFailures,
  fields: { onboardedFor: text, name: text },
  input: { name: "Ada" },
};

export const serviceTable: Readonly<Record<string, OperationRow>> = {
  "GET /v2/openapi.json": { failures: [400, 500] },

  "POST /v2/on-demand/bare-metal-rentals": {
    deprecated: true,
    replacedBy: "POST /v2/on-demand/rentals",
    failures,
    fields: {
      networkType: required(oneOf(networkTypes)),
      gpuCount: required({
        schema: { type: "number", minimum: 1, multipleOf: 8 },
        accepts: [8, 16],
        rejects: [0, -8, 1, 7, 9, 12, "eight"],
      }),
      storageVolume: {
        schema: {},
        isReference: true,
        accepts: [
          existingVolume,
          newVolume,
          { ...newVolume, sizeInGb: 64000 },
          { ...newVolume, sizeInGb: 257 },
        ],
        rejects: [
          {},
          { isNew: true, id: 501 },
          { isNew: false },
          { isNew: false, id: 0 },
          { isNew: true, label: "data" },
          { isNew: true, sizeInGb: 256 },
          { ...newVolume, label: "abc" },
          { ...newVolume, sizeInGb: 255 },
          { ...newVolume, sizeInGb: 64001 },
          { ...newVolume, sizeInGb: 256.5 },
        ],
      },
      region: withDefault(oneOf(bareMetalRegions), "us-central-1"),
      cudaVersion: oneOf(cudaVersions),
      ...rentalFields,
    },
    input: { networkType: "ethernet", gpuCount: 8 },
  },
  "GET /v2/on-demand/bare-metal-rentals": {
    deprecated: true,
    replacedBy: "GET /v2/on-demand/rentals/active",
    failures: lookupFailures,
  },
  "POST /v2/on-demand/virtual-machine-rentals": {
    deprecated: true,
    replacedBy: "POST /v2/on-demand/rentals",
    failures,
    fields: {
      gpuCount: required({ ...number, accepts: [1, 8] }),
      networkType: withDefault(oneOf(networkTypes), "ethernet"),
      region: withDefault(oneOf(virtualMachineRegions), "us-central-1"),
      customPorts: {
        schema: { type: "array", maxItems: 20, items: { type: "integer", minimum: 1, maximum: 65535 } },
        accepts: [[1], [65535], Array.from({ length: 20 }, (_, port) => 8000 + port)],
        rejects: [[0], [65536], [80.5], Array.from({ length: 21 }, (_, port) => 8000 + port)],
      },
      ...rentalFields,
    },
    input: { gpuCount: 1 },
  },
  "GET /v2/on-demand/virtual-machine-rentals": {
    deprecated: true,
    replacedBy: "GET /v2/on-demand/rentals/active",
    failures: lookupFailures,
    fields: { includeClusterPools: flag },
    input: {},
  },
  "POST /v2/on-demand/convert-to-reserved": { failures, fields: termFields, input: term },
  "POST /v2/on-demand/extend-reserved": {
    failures,
    fields: {
      ...termFields,
      expectedReservedUntil: required({
        schema: { type: "string", format: "date-time" },
        accepts: ["2028-02-29T00:00:00Z", "2027-01-31T23:59:59.123+05:30"],
        rejects: [
          "2027-02-29T00:00:00Z",
          "2027-13-01T00:00:00Z",
          "2027-01-31T24:00:01Z",
          "2027-01-31T00:00:00",
          "tomorrow",
          "",
          1,
        ],
      }),
    },
    input: { ...term, expectedReservedUntil: "2027-12-31T00:00:00Z" },
  },
  "POST /v2/on-demand/request-reservation": {
    failures,
    fields: {
      gpuCount: required({
        schema: { type: "number", minimum: 1 },
        accepts: [1, 512],
        rejects: [0, 0.5, -1, "a"],
      }),
    },
    input: { gpuCount: 64 },
  },
  "GET /v2/on-demand/active-rental-summary": { failures: lookupFailures },
  "GET /v2/on-demand/rental": {
    failures: lookupFailures,
    fields: {
      rentalId: required({ schema: { type: "string", minLength: 1 }, accepts: ["1001", "a"], rejects: [""] }),
    },
    input: { rentalId: "1001" },
  },
  "GET /v2/on-demand/rental-history": {
    deprecated: true,
    replacedBy: "GET /v2/on-demand/rentals/history",
    failures: lookupFailures,
  },

  "POST /v2/on-demand/storage-volumes": {
    failures,
    fields: {
      region: required(oneOf([...new Set([...virtualMachineRegions, ...bareMetalRegions])])),
      label: required(volumeLabel),
      sizeInGb: required({
        schema: { type: "integer", minimum: 256, maximum: 64000, multipleOf: 256 },
        accepts: [256, 512, 64000],
        rejects: [0, 128, 255, 257, 300, 64001, 64256, 256.5, "big"],
      }),
      rentalIds: {
        schema: { type: "array", items: id.schema },
        accepts: [[], [1001], ["a", maxId]],
        rejects: [[0], [""], [maxId + 1], 1001],
        isReference: true,
      },
    },
    input: { region: "us-central-1", label: "data", sizeInGb: 256 },
  },
  "GET /v2/on-demand/storage-volumes": { failures: lookupFailures },
  "POST /v2/on-demand/storage-volumes/attach": {
    failures,
    fields: {
      storageVolumeId: required(id),
      rentalIds: required({
        schema: { type: "array", minItems: 1, items: id.schema },
        accepts: [[1001], [1001, "a", maxId]],
        rejects: [[], [0], [""], [maxId + 1]],
        isReference: true,
      }),
    },
    input: { storageVolumeId: 501, rentalIds: [1001] },
  },

  "PUT /v2/users/me": userFields,
  "DELETE /v2/users/me": { failures: lookupFailures },
  "PUT /users/me": {
    ...userFields,
    deprecated: true,
    sunset: "2027-03-01",
    replacedBy: "PUT /v2/users/me",
  },
  "DELETE /users/me": {
    deprecated: true,
    sunset: "2027-03-01",
    replacedBy: "DELETE /v2/users/me",
    failures: lookupFailures,
  },

  "POST /v1/chat/completions": {
    host: "inference",
    failures,
    fields: {
      messages: required({
        schema: { type: "array", items: { $ref: "#/components/schemas/ChatMessage" } },
        accepts: [[{ role: "user", content: "Hi" }]],
        rejects: [[{ role: "user" }], [{ content: "Hi" }], [{ role: 1, content: "Hi" }], "Hi"],
      }),
      model: required({ ...text, accepts: ["sandbox-echo"] }),
      max_tokens: integer,
      temperature: { ...number, accepts: [0, 0.7] },
    },
    input: { model: "sandbox-echo", messages: [{ role: "user", content: "Hi" }] },
  },
  "POST /v1/image/generation": {
    host: "inference",
    failures,
    fields: {
      model_name: required(oneOf(imageModels)),
      prompt: required(text),
      height: withDefault({ ...integer, accepts: [1024] }, 1024),
      width: withDefault({ ...integer, accepts: [1024] }, 1024),
      steps: withDefault(integer, 30),
      cfg_scale: withDefault({ ...number, accepts: [5, 7.5] }, 5),
      negative_prompt: text,
      seed: integer,
      sampler: text,
      backend: withDefault(oneOf(["auto", "tvm", "torch"]), "auto"),
      prompt_2: text,
      negative_prompt_2: text,
      enable_refiner: flag,
      image: { ...text, accepts: [] },
      strength: {
        schema: { type: "number", minimum: 0, maximum: 1 },
        accepts: [0, 0.5, 1],
        rejects: [-0.01, 1.01, "strong"],
      },
      lora: {
        schema: { type: "object", additionalProperties: { type: "number", minimum: 0, maximum: 1 } },
        accepts: [{ [xlLora]: 0 }, { [xlLora]: 1 }],
        rejects: [{ [xlLora]: -0.1 }, { [xlLora]: 1.1 }, { [xlLora]: "much" }],
      },
    },
    input: { model_name: "SDXL1.0-base", prompt: "a lighthouse", steps: 1 },
    breaks: [
      ["width", { width: 512, height: 512 }],
      ["width", { width: 896, height: 1152 }],
      ["image", { model_name: "FLUX.1-dev", image: "aGk=" }],
      ["strength", { model_name: "FLUX.1-dev", strength: 0.5 }],
      ["lora", { lora: { [otherLora]: 0.5 } }],
      ["lora", { model_name: "SD1.5", lora: { [xlLora]: 0.5 } }],
      ["lora", { model_name: "SD2", lora: { Add_Detail: 0.5 } }],
      ["lora", { model_name: "FLUX.1-dev", lora: { Add_Detail: 0.5 } }],
    ],
    follows: [
      ...resolutions.map(([width, height]) => ({ width, height })),
      ...Object.entries(lorasOf).flatMap(([model_name, names]) =>
        names.map((name) => ({ model_name, lora: { [name]: 0.5 } })),
      ),
    ],
  },
  "POST /v1/audio/generation": {
    host: "inference",
    failures,
    fields: { text: required({ ...text, accepts: ["Hi"] }), speed: { ...number, accepts: [1, 1.5] } },
    input: { text: "Hi" },
  },
};

/** The price of one picture in dollars (section 4.5, rule 4), computed exactly. */
export const picturePrices = [
  { width: 1024, height: 1024, steps: 25, dollars: "0.01" },
  { width: 2048, height: 2048, steps: 25, dollars: "0.04" },
  { width: 1024, height: 1024, steps: 30, dollars: "0.012" },
  { width: 640, height: 1536, steps: 25, dollars: "0.009375" },
] as const;

/** The codes and messages of section 7. */
export const errors: Readonly<Record<number, readonly [code: string, message: string]>> = {
  400: ["BAD_REQUEST", "Invalid input data"],
  401: ["UNAUTHORIZED", "Authorization not provided"],
  403: ["FORBIDDEN", "Insufficient access"],
  404: ["NOT_FOUND", "Not found"],
  500: ["INTERNAL_SERVER_ERROR", "Internal server error"],
};

/** The tags that section 9 lists. `inference` is not one of them. */
export const tags = [
  "openapi",
  "rentals",
  "virtual-machine-rentals",
  "bare-metal-rentals",
  "storage-volumes",
  "billing",
  "users",
  "balances",
  "api-keys",
  "ssh-keys",
];
