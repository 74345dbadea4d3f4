import { describe, expect, test } from "vitest";
import { key } from "../support/process.ts";
import { everyNth } from "../support/thorough.ts";
import { homeAt, sorted, useThirdParty } from "./third-party.ts";
import * as records from "./third-party-records.ts";
import { fail, type ReceivedRequest, serveThirdParty } from "./third-party-server.ts";

const thirdParty = useThirdParty();

const vms = "/v2/on-demand/virtual-machine-rentals";
const machines = "/v2/on-demand/bare-metal-rentals";

interface Write {
  readonly line: string;
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly response: unknown;
}

const writes: readonly Write[] = [
  {
    line: "rentals create vm --gpus 1",
    path: vms,
    body: { gpuCount: 1 },
    response: records.virtualMachine,
  },
  {
    line: "rentals create vm --gpu-count 2 --network-type infiniband --region jp-east-1 --gpu h200 --label web --term-type reserved --days 30 --discount-percentage 5 --monitoring-enabled --custom-ports 80,443 --custom-ports 8080 --no-convert-to-on-demand-on-expiry --ssh-public-key-id 7 --ssh-public-key-ids 7,-8",
    path: vms,
    body: {
      gpuCount: 2,
      networkType: "infiniband",
      region: "jp-east-1",
      gpuType: "h200",
      label: "web",
      termType: "reserved",
      termPeriodDays: 30,
      discountPercentage: 5,
      monitoringEnabled: true,
      customPorts: [80, 443, 8080],
      convertToOnDemandOnExpiry: false,
      sshPublicKeyId: 7,
      sshPublicKeyIds: [7, -8],
    },
    response: records.virtualMachine,
  },
  {
    line: "rentals create bare-metal --gpus 8 --network-type ethernet",
    path: machines,
    body: { gpuCount: 8, networkType: "ethernet" },
    response: records.bareMetal,
  },
  {
    line: "rentals create bare-metal --gpus 16 --network-type infiniband --gpu-type b200 --region eu-southwest-3-1 --cuda-version cuda12.9 --label train --term-type on-demand --term-period-days 3 --discount-percentage 0 --no-monitoring-enabled --convert-to-on-demand-on-expiry --ssh-public-key-id 1 --ssh-public-key-ids 1 --storage-volume vol_01",
    path: machines,
    body: {
      gpuCount: 16,
      networkType: "infiniband",
      gpuType: "b200",
      region: "eu-southwest-3-1",
      cudaVersion: "cuda12.9",
      label: "train",
      termType: "on-demand",
      termPeriodDays: 3,
      discountPercentage: 0,
      monitoringEnabled: false,
      convertToOnDemandOnExpiry: true,
      sshPublicKeyId: 1,
      sshPublicKeyIds: [1],
      storageVolume: { isNew: false, id: "vol_01" },
    },
    response: records.bareMetal,
  },
  {
    line: "rentals create bare-metal --gpus 8 --network-type ethernet --new-volume data_1 --new-volume-size 300",
    path: machines,
    body: {
      gpuCount: 8,
      networkType: "ethernet",
      storageVolume: { isNew: true, label: "data_1", sizeInGb: 300 },
    },
    response: records.bareMetal,
  },
  {
    line: "reserve convert 18026 --days 30 --expected-price 1072.80",
    path: "/v2/on-demand/convert-to-reserved",
    body: { rentalId: 18026, termPeriodDays: 30, expectedTotalPriceCents: 107280 },
    response: records.conversion,
  },
  {
    line: "reserve convert bm-7f --term-period-days 30 --expected-total-price-cents 107280",
    path: "/v2/on-demand/convert-to-reserved",
    body: { rentalId: "bm-7f", termPeriodDays: 30, expectedTotalPriceCents: 107280 },
    response: records.conversion,
  },
  {
    line: "reserve extend 18026 --days 30 --expected-price 1072.80 --expected-reserved-until 2027-01-19T01:00:00+01:00",
    path: "/v2/on-demand/extend-reserved",
    body: {
      rentalId: 18026,
      termPeriodDays: 30,
      expectedTotalPriceCents: 107280,
      expectedReservedUntil: "2027-01-19T01:00:00+01:00",
    },
    response: records.extension,
  },
  {
    line: "reserve request --gpu-count 512",
    path: "/v2/on-demand/request-reservation",
    body: { gpuCount: 512 },
    response: records.reservation,
  },
  {
    line: "volumes create --region uk-central-3 --label training-data --size-in-gb 1024",
    path: "/v2/on-demand/storage-volumes",
    body: { region: "uk-central-3", label: "training-data", sizeInGb: 1024 },
    response: records.volume,
  },
  {
    line: "volumes create --region us-central-1 --label data --size-in-gb 256 --rental-ids 18026,bm-7f",
    path: "/v2/on-demand/storage-volumes",
    body: { region: "us-central-1", label: "data", sizeInGb: 256, rentalIds: [18026, "bm-7f"] },
    response: records.volume,
  },
  {
    line: "volumes attach vol_01 bm-7f 18026",
    path: "/v2/on-demand/storage-volumes/attach",
    body: { storageVolumeId: "vol_01", rentalIds: ["bm-7f", 18026] },
    response: records.attached,
  },
  {
    line: "user update --name Ada --onboarded-for research",
    method: "PUT",
    path: "/v2/users/me",
    body: { name: "Ada", onboardedFor: "research" },
    response: { success: true, user: records.user },
  },
  {
    line: "user delete --yes",
    method: "DELETE",
    path: "/v2/users/me",
    response: { success: true },
  },
  {
    line: 'chat "Guete Morge" -m llama -s "Be brief" --max-tokens 9 --temperature 0.5 --top-p 0.9 --stop END --seed 3 --param top_k=40',
    path: "/v1/chat/completions",
    body: {
      model: "llama",
      messages: [
        { role: "system", content: "Be brief" },
        { role: "user", content: "Guete Morge" },
      ],
      max_tokens: 9,
      temperature: 0.5,
      top_p: 0.9,
      stop: ["END"],
      seed: 3,
      top_k: 40,
    },
    response: records.completion,
  },
];

describe("a write to a third-party service", () => {
  test.each(everyNth(3, writes))(
    "is sent once: $line",
    async ({ line, method = "POST", path, body, response }) => {
      const { run } = await thirdParty.home();
      const { code, out, err } = await run(`${line} -o json`);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(JSON.parse(out)).toEqual(response);
      const sent = thirdParty.requests().filter((request) => request.method !== "GET");
      expect(sorted(sent)).toEqual([{ method, path, query: {}, body }]);
      expect(sent[0]?.headers.authorization).toBe(`Bearer ${key}`);
    },
  );

  test("uses the deprecated path if the service has no other path, and prints the date of its Sunset header", async () => {
    const missing = (_request: ReceivedRequest, response: Parameters<typeof fail>[0]) =>
      fail(response, 404, "NOT_FOUND", "Not found");
    const older = await serveThirdParty({ key, instead: { "PUT /v2/users/me": missing } });
    try {
      const { run } = await homeAt(older.url);
      const { code, out, err } = await run("user update --name Ada -o json");
      expect({ code, out: JSON.parse(out) }).toEqual({ code: 0, out: { success: true, user: records.user } });
      expect(older.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
        "PUT /v2/users/me",
        "PUT /users/me",
      ]);
      expect(err).toContain("2027-03-01");
    } finally {
      await older.close();
    }
  });
});
