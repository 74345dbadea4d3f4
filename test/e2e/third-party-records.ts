/**
 * A time in another format than the contract's. A third-party service may send such times, other forms of IDs, and
 * unknown fields.
 */
const stamp = "2026-09-12 13:59:00.123+00";

export const virtualMachine = {
  id: "18026",
  name: "brave-otter",
  status: "Running",
  machineType: "virtual-machine",
  gpuType: "H100",
  gpuCount: 1,
  gpuFormFactor: "SXM5",
  region: "us-central-1",
  connectionType: "ethernet",
  currentTerm: { termType: "on-demand", costPerHourCents: 149, startedAt: stamp },
  providerData: { sshNetworking: [{ host: "203.0.113.7", port: 20022, user: "ubuntu" }] },
  createdAt: stamp,
  startedAt: stamp,
  terminatedAt: null,
  tags: [],
  quota_v3: { soft: 12.5 },
};

export const bareMetal = {
  rentalId: "bm-7f",
  label: "training",
  status: "Pending",
  meta: { rental_type: "bare-metal", network_type: "infiniband", node_networking: [] },
  gpuCount: 16,
  gpuType: "b200",
  region: "eu-west-4",
  costPerHour: 5920,
  createdAt: stamp,
  "x-note": "zweite Schicht ☕",
};

export const lookup = { state: "active", ...virtualMachine };

export const ended = {
  ...virtualMachine,
  id: "17001",
  status: "Terminated",
  terminatedAt: "2026-09-13 01:00:00+00",
};

export const summary = {
  activeRentals: { count: 2, sumHourlyCostCents: 6069 },
  byTermType: { "on-demand": { count: 2, sumHourlyCostCents: 6069 }, reserved: null },
};

export const volume = {
  id: "vol_01",
  label: "training-data",
  sizeInGb: 1024,
  region: "us-central-1",
  rentals: [{ id: "bm-7f" }],
  createdAt: stamp,
  tier: { name: "nvme" },
};

export const attached = { storageVolumeId: "vol_01", attachedTo: ["bm-7f"], job: { id: 9007199254740991 } };
export const conversion = { rentalId: "18026", reservedUntil: "2026-12-20 00:00:00+00", receipt: null };
export const extension = { rentalId: "18026", reservedUntil: "2027-01-19T00:00:00.000Z", receipt: "r-9" };
export const reservation = { message: "Thank you, we will be in touch." };

export const user = {
  id: "u_1",
  email: "ada@example.com",
  name: "Ada",
  picture: "https://example.com/ada.png",
  provider: "github",
  emailVerified: true,
  isActive: true,
  createdAt: "2026-01-02T03:04:05.006Z",
  onboardedAt: "2026-01-02T03:04:05Z",
  onboardedFor: "research",
  referralCode: "ADA1",
  plan: { id: "free" },
};

export const description = {
  openapi: "3.1.0",
  info: { title: "Elsewhere", version: "2.0.0", "x-build": 7 },
  servers: [{ url: "https://elsewhere.example" }],
  paths: { "/v2/on-demand/rental": { get: { operationId: "lookup", responses: {} } } },
};

/** The first and last bytes of a JPEG file, and one MPEG audio frame. */
export const jpeg = Buffer.from("ffd8ffe000104a46494600010100000100010000ffd9", "hex");
export const mp3 = Buffer.concat([Buffer.from("fffb9064", "hex"), Buffer.alloc(413)]);

export const pictures = {
  images: [{ index: 0, image: jpeg.toString("base64"), random_seed: 42 }],
  inference_time: 1.25,
};
export const recording = { audio: mp3.toString("base64"), sample_rate: 24000, inference_time: 0.5 };

export const completion = {
  id: "cmpl-1",
  object: "chat.completion",
  model: "llama",
  choices: [
    { index: 0, message: { role: "assistant", content: "Grüezi 👋", refusal: null }, finish_reason: "stop" },
  ],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
  kv_transfer_params: null,
};

/** The same reply as a stream. Few servers send CRLF line ends and a comment as this stream does. */
export const completionStream = [
  ": hello\r\n\r\n",
  'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\r\n\r\n',
  'data: {"choices":[{"index":0,"delta":{"content":"Grüezi "}}]}\r\n\r\n',
  'data: {"choices":[{"index":0,"delta":{"content":"👋"},"finish_reason":"stop"}]}\r\n\r\n',
  "data: [DONE]\r\n\r\n",
].join("");
