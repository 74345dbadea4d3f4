import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";

const vm = "rentals create vm --gpus 1 --sandbox --yes";

describe("rentals create", () => {
  test("sends only the fields that the user set", async () => {
    const { run } = await createCli();
    const { code, out, requests } = await run("rentals create vm --gpus 1 --sandbox -o json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ gpuCount: 1, gpuType: "h100", status: "Pending" });
    expect(requests.filter(({ method }) => method === "POST")).toEqual([
      expect.objectContaining({ path: "/v2/on-demand/virtual-machine-rentals", body: { gpuCount: 1 } }),
    ]);
  });

  test("supports every field of a virtual machine", async () => {
    const { run } = await createCli();
    const { requests } = await run(
      `rentals create vm --gpu-count 2 --network-type ethernet --region eu-north-4 --gpu-type h200 --label "my vm"
       --term-type reserved --term-period-days 30 --discount-percentage 0 --no-monitoring-enabled
       --custom-ports 80,443 --custom-ports 8080 --convert-to-on-demand-on-expiry --ssh-public-key-id 4
       --ssh-public-key-ids 5,6 --sandbox`,
    );
    expect(requests.at(-1)?.body).toEqual({
      gpuCount: 2,
      networkType: "ethernet",
      region: "eu-north-4",
      gpuType: "h200",
      label: "my vm",
      termType: "reserved",
      termPeriodDays: 30,
      discountPercentage: 0,
      monitoringEnabled: false,
      customPorts: [80, 443, 8080],
      convertToOnDemandOnExpiry: true,
      sshPublicKeyId: 4,
      sshPublicKeyIds: [5, 6],
    });
  });

  test("attaches an existing volume, or creates a new one", async () => {
    const { run } = await createCli();
    const line = "rentals create bare-metal --gpus 8 --network-type ethernet --sandbox";
    const made = await run(`${line} --new-volume data-1 --new-volume-size 300 -o json`);
    expect(made.requests.at(-1)?.body).toMatchObject({
      storageVolume: { isNew: true, label: "data-1", sizeInGb: 300 },
    });
    const attached = await run(`${line} --storage-volume 501 -o json`);
    expect(attached.requests.at(-1)?.body).toMatchObject({ storageVolume: { isNew: false, id: 501 } });
    expect(JSON.parse(attached.out)).toMatchObject({ storageVolumeIds: [501] });
    const both = await run(`${line} --storage-volume 501 --new-volume data-2`);
    expect(both).toMatchObject({ code: 2, requests: [] });
  });

  test("prints only the ID with -o id, and otherwise the record", async () => {
    const { run } = await createCli();
    expect((await run(`${vm} -o id`)).out).toBe("1001\n");
    expect((await run(vm)).out).toMatchInlineSnapshot(`
      "ID:              1002
      LABEL:           vm-1002
      STATE:           Pending
      TYPE:            vm
      GPU:             1x h100
      REGION:          us-central-1
      TERM:            on-demand
      $/H:             $2.00
      NETWORK:         ethernet
      SSH:             -
      RESERVED UNTIL:  -
      CREATED:         2026-11-20T12:00:00.000Z
      STARTED:         -
      ENDED:           -
      "
    `);
  });
});

describe("rentals get", () => {
  test("shows a running rental", async () => {
    const { run, advance } = await createCli();
    await run(vm);
    advance(60_000);
    expect((await run("rentals get 1001 --sandbox")).out).toMatchInlineSnapshot(`
      "ID:              1001
      LABEL:           vm-1001
      STATE:           Running
      TYPE:            vm
      GPU:             1x h100
      REGION:          us-central-1
      TERM:            on-demand
      $/H:             $2.00
      NETWORK:         ethernet
      SSH:             ubuntu@192.0.2.240
      RESERVED UNTIL:  -
      CREATED:         2026-11-20T12:00:00.000Z
      STARTED:         2026-11-20T12:00:02.000Z
      ENDED:           -
      "
    `);
    expect(
      (await run("rentals get 1001 --sandbox --color never", { terminal: 80 })).out,
    ).toMatchInlineSnapshot(`
      "ID:              1001
      LABEL:           vm-1001
      STATE:           Running
      TYPE:            vm
      GPU:             1x h100
      REGION:          us-central-1
      TERM:            on-demand
      $/H:             $2.00
      NETWORK:         ethernet
      SSH:             ubuntu@192.0.2.240
      RESERVED UNTIL:  -
      CREATED:         1m ago
      STARTED:         58s ago
      ENDED:           -
      "
    `);
    expect((await run("rentals get 1001 -o id --sandbox")).out).toBe("1001\n");
  });

  test.each(["table", "json", "id"])(
    "prints nothing on stdout for a rental that does not exist, with -o %s",
    async (format) => {
      const { run } = await createCli();
      const { code, out, err } = await run(`rentals get 4711 -o ${format} --sandbox`);
      expect({ code, out }).toEqual({ code: 5, out: "" });
      expect(err).toContain("rental 4711 not found");
    },
  );
});

test("rentals summary shows dollars in the table and cents in JSON", async () => {
  const { run } = await createCli();
  await run(vm);
  expect((await run("rentals summary --sandbox")).out).toMatchInlineSnapshot(`
    "count:                             1
    costPerHour:                       $2.00
    byTermType.on-demand.count:        1
    byTermType.on-demand.costPerHour:  $2.00
    byTermType.reserved.count:         0
    byTermType.reserved.costPerHour:   $0.00
    "
  `);
  expect(JSON.parse((await run("rentals summary -o json --sandbox")).out)).toMatchObject({
    count: 1,
    costPerHourCents: 200,
  });
});
