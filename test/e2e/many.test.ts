import { expect, it } from "vitest";
import { createHome, firstChunk, type Home } from "../support/process.ts";
import { thorough } from "../support/thorough.ts";

const create = "rentals create vm --gpus 1 --sandbox -o id";

async function idsOf(home: Home): Promise<string[]> {
  const { code, out, err } = await home.run("rentals list --sandbox -o id");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out.split("\n").filter(Boolean);
}

it("concurrent creates in a new sandbox create one rental each", async () => {
  const home = await createHome();
  const count = thorough ? 10 : 4;
  const created = await Promise.all(Array.from({ length: count }, () => home.run(create)));
  for (const { code, err } of created) expect({ code, err }).toEqual({ code: 0, err: "" });
  const ids = created.map(({ out }) => out.trim());
  expect(new Set(ids).size).toBe(count);
  expect((await idsOf(home)).sort()).toEqual(ids.sort());
});

it("concurrent creates with --max-burn together create no more rentals than the limit allows", async () => {
  const home = await createHome();
  const served = home.start("sandbox serve --port 0 -o json");
  const { url, apiKey } = JSON.parse(await firstChunk(served.stdout));
  const env = { GPUCTL_BASE_URL: url, GPUCTL_API_KEY: apiKey };
  const allowed = thorough ? 3 : 2;
  const line = `rentals create vm --gpus 1 --max-burn ${allowed * 2}.00 -o id`;
  const outcomes = await Promise.all(Array.from({ length: allowed * 2 }, () => home.run(line, { env })));
  expect(outcomes.filter(({ code }) => code === 0)).toHaveLength(allowed);
  expect(outcomes.filter(({ code }) => code === 11)).toHaveLength(allowed);
  for (const { code, out, err } of outcomes) {
    if (code === 0) expect(out).not.toBe("");
    else expect(err).toContain(`together $${allowed * 2 + 2}.00, and the limit is $${allowed * 2}.00`);
  }
  const { out } = await home.run("rentals list -o id", { env });
  expect(out.trim().split("\n")).toHaveLength(allowed);
});

it("concurrent creates with --if-absent and one label create one rental", async () => {
  const home = await createHome();
  const served = home.start("sandbox serve --port 0 -o json");
  const { url, apiKey } = JSON.parse(await firstChunk(served.stdout));
  const env = { GPUCTL_BASE_URL: url, GPUCTL_API_KEY: apiKey };
  const line = "rentals create vm --gpus 1 --label trainer --if-absent -o id";
  const count = thorough ? 4 : 2;
  const outcomes = await Promise.all(Array.from({ length: count }, () => home.run(line, { env })));
  expect(outcomes.map(({ code, out }) => ({ code, out }))).toEqual(
    Array(count).fill({ code: 0, out: "1001\n" }),
  );
  expect((await home.run("rentals list -o id", { env })).out).toBe("1001\n");
});

/** Output after which a process is killed. The process may have written more by then. */
const moments = [
  { name: "the listing before the write", stream: "stderr", at: /GET/ },
  { name: "the write", stream: "stderr", at: /POST/ },
  { name: "the id", stream: "stdout", at: /\n/ },
] as const;

it("processes killed halfway lose no rental that they reported", async () => {
  const home = await createHome();
  await home.run("sandbox status");
  const expected: string[] = [];
  const one = async (moment: (typeof moments)[number]) => {
    const child = home.start(`${create} --debug`);
    let out = "";
    let watched = "";
    child.stdout?.on("data", (chunk) => {
      out += chunk;
    });
    child[moment.stream]?.on("data", (chunk) => {
      watched += chunk;
      if (moment.at.test(watched)) child.kill("SIGKILL");
    });
    await child;
    expected.push(...out.split("\n").slice(0, -1));
  };
  const atOnce = thorough ? [...moments, ...moments] : moments;
  for (let round = 0; round < (thorough ? 3 : 1); round += 1) await Promise.all(atOnce.map(one));
  expect(expected.length).toBeGreaterThanOrEqual(atOnce.length / moments.length);
  const listed = await idsOf(home);
  expect(listed).toEqual(expect.arrayContaining(expected));
  expect(new Set(listed).size).toBe(listed.length);
  expect((await home.run(create)).code).toBe(0);
});

it("a served sandbox killed under load loses no rental that it acknowledged", async () => {
  const home = await createHome();
  const acknowledged: string[] = [];
  for (let round = thorough ? 1 : 2; round <= 3; round += 1) {
    const child = home.start("sandbox serve --port 0 -o json");
    const { url, apiKey } = JSON.parse(await firstChunk(child.stdout));
    const enough = acknowledged.length + round * 7;
    const post = async () => {
      for (;;) {
        const response = await fetch(`${url}/v2/on-demand/virtual-machine-rentals`, {
          method: "POST",
          headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
          body: '{"gpuCount":1}',
        });
        const { id } = (await response.json()) as { id: number | string };
        acknowledged.push(String(id));
        if (acknowledged.length >= enough) child.kill("SIGKILL");
      }
    };
    await Promise.allSettled([post(), post(), post(), post()]);
    await child;
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(thorough ? 42 : 35);
  expect(await idsOf(home)).toEqual(expect.arrayContaining(acknowledged));
});
