import { expect, test } from "vitest";
import { createCli, type Responder } from "../support/cli.ts";
import { overNetwork } from "../support/service.ts";

const create = "volumes create --region us-central-1 --label data-1 --size-in-gb 512 --sandbox";
const machine = "rentals create bare-metal --gpus 8 --network-type ethernet --sandbox --yes";

test("volumes create prints the volume", async () => {
  const { run } = await createCli();
  const { out, requests } = await run(create);
  expect(requests.at(-1)?.body).toEqual({ region: "us-central-1", label: "data-1", sizeInGb: 512 });
  expect(out).toMatchInlineSnapshot(`
    "ID:       501
    LABEL:    data-1
    SIZE GB:  512
    REGION:   us-central-1
    RENTALS:  -
    CREATED:  2026-11-20T12:00:00.000Z
    "
  `);
  expect((await run(`${create} -o id`)).out).toBe("502\n");
});

test("volumes create -o id has an unknown outcome if the response has no ID", async () => {
  const respond =
    (volume: object): Responder =>
    ({ method }) =>
      Response.json(method === "POST" ? volume : []);
  const line = `${create.replace(" --sandbox", "")} -o id`;
  const without = await createCli({ respond: respond({ label: "data-1" }) });
  expect(await without.run(line, overNetwork())).toMatchObject({ code: 10, out: "" });
  const other = await createCli({ respond: respond({ storageVolumeId: 5 }) });
  expect(await other.run(line, overNetwork())).toMatchObject({ code: 0, out: "5\n" });
});

test("volumes list prints a table, JSON or IDs", async () => {
  const { run } = await createCli();
  expect(await run("volumes list --sandbox")).toMatchObject({
    out: "",
    err: "No storage volumes.\n",
    code: 0,
  });
  expect((await run("volumes list -o json --sandbox")).out).toBe("[]\n");
  await run(machine);
  await run(`${create} --rental-ids 1001`);
  await run(create);
  expect((await run("volumes list --sandbox")).out).toMatchInlineSnapshot(`
    "ID   LABEL   SIZE GB  REGION        RENTALS  CREATED
    501  data-1      512  us-central-1  1001     2026-11-20T12:00:00.000Z
    502  data-1      512  us-central-1  -        2026-11-20T12:00:00.000Z
    "
  `);
  expect((await run("volumes list --sandbox --color never", { terminal: 80 })).out).toMatchInlineSnapshot(`
    "ID   LABEL   SIZE GB  REGION        RENTALS  CREATED
    501  data-1      512  us-central-1  1001     now
    502  data-1      512  us-central-1  -        now
    "
  `);
  expect((await run("volumes list -o id --sandbox")).out).toBe("501\n502\n");
  expect(JSON.parse((await run("volumes list -o json --sandbox")).out)).toMatchObject([
    { id: 501, sizeInGb: 512, rentalIds: [1001] },
    { id: 502, rentalIds: [] },
  ]);
});

test("volumes attach takes several rentals, as arguments or separated by commas", async () => {
  const { run } = await createCli();
  for (const line of [create, machine, machine]) await run(line);
  const { out, requests } = await run("volumes attach 501 1001 1002 --sandbox");
  expect(requests.at(-1)?.body).toEqual({ storageVolumeId: 501, rentalIds: [1001, 1002] });
  expect(out).toMatchInlineSnapshot(`
    "storageVolumeId:  501
    rentalIds:        1001, 1002
    "
  `);
  expect((await run("volumes attach 501 1001,1002 -o id --sandbox")).out).toBe("501\n");
});

test("volumes attach sends an ID as a number only if the number has exactly the same digits", async () => {
  const { run } = await createCli({
    respond: ({ method, path }) =>
      method === "GET" && path.endsWith("/storage-volumes") ? Response.json([{ id: "vol-1" }]) : undefined,
  });
  const { requests } = await run("volumes attach vol-1 007 9007199254740993 12 --sandbox");
  expect(requests.at(-1)?.body).toEqual({
    storageVolumeId: "vol-1",
    rentalIds: ["007", "9007199254740993", 12],
  });
});
