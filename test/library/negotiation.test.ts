import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { GivenFetch } from "../../src/library/client.ts";
import { description, descriptionPath } from "../support/described.ts";
import { clientOf, openSandbox } from "./harness.ts";

const old = "/v2/on-demand/rental-history";
const history = "/v2/on-demand/rentals/history";
/** After this many milliseconds, a client may fetch the description again: after a failure, or when a path is gone. */
const retryAfter = 5 * 60_000;

/** A client for a service with these responses by path, and the paths that it requested. */
function serviceWith(responders: Readonly<Record<string, () => Response | Promise<Response>>>) {
  const paths: string[] = [];
  const fetch: GivenFetch = async (url) => {
    const { pathname } = new URL(url);
    paths.push(pathname);
    return (
      responders[pathname]?.() ??
      Response.json({ code: "NOT_FOUND", message: "No", issues: [] }, { status: 404 })
    );
  };
  return { client: clientOf("https://api.example.com", { fetch, retries: 0, timeout: 50 }), paths };
}

test.each([
  ["in the process", false],
  ["over HTTP", true],
])("a client creates and lists rentals on a service with only the replacements, %s", async (_name, serve) => {
  const { sandbox, client: inside } = await openSandbox({ only: "replacements", serve });
  const client = serve ? clientOf(sandbox.url, { apiKey: sandbox.keys.full }) : inside;
  expect(await client.listVirtualMachineRentals()).toEqual([]);
  for (let made = 0; made < 21; made += 1) await client.createVirtualMachineRental({ gpuCount: 1 });
  await client.createBareMetalRental({ gpuCount: 8, networkType: "ethernet" });
  expect(await client.listVirtualMachineRentals({ includeClusterPools: true })).toHaveLength(21);
  expect(await client.listBareMetalRentals()).toMatchObject([{ rentalType: "bare-metal", gpuCount: 8 }]);
  expect(await client.listRentalHistory()).toEqual([]);
});

describe("the service's description", () => {
  const replaced = () => Response.json(description({ [`GET ${history}`]: {} }));
  const listed = () => Response.json([]);

  test("is requested once, and only for operations that can have replacements", async () => {
    const { client, paths } = serviceWith({
      [descriptionPath]: replaced,
      [history]: listed,
      "/v2/on-demand/storage-volumes": listed,
    });
    await client.listStorageVolumes();
    expect(paths).not.toContain(descriptionPath);
    await Promise.all([client.listRentalHistory(), client.listRentalHistory()]);
    await client.listRentalHistory();
    expect(paths.filter((path) => path === descriptionPath)).toHaveLength(1);
    expect(paths.filter((path) => path === history)).toHaveLength(3);
  });

  test.each([
    ["is missing", undefined],
    ["is not JSON", () => new Response("<html>")],
    ["never arrives", () => new Promise<never>(() => {})],
    ["cannot be fetched", () => Promise.reject(new Error("no stub for this"))],
  ])("does not stop a call when it %s", async (_how, respond) => {
    const { client, paths } = serviceWith({ ...(respond && { [descriptionPath]: respond }), [old]: listed });
    expect(await client.listRentalHistory()).toEqual([]);
    expect(await client.listRentalHistory()).toEqual([]);
    expect(paths).toEqual([descriptionPath, old, old]);
  });

  test("is fetched again five minutes after a failure", async () => {
    const responders: Record<string, () => Response> = { [old]: listed, [history]: listed };
    const { client, paths } = serviceWith(responders);
    await client.listRentalHistory();
    responders[descriptionPath] = replaced;
    const later = Date.now() + retryAfter;
    const clock = vi.spyOn(Date, "now").mockReturnValue(later);
    onTestFinished(() => clock.mockRestore());
    await client.listRentalHistory();
    expect(paths).toEqual([descriptionPath, old, descriptionPath, history]);
  });

  test("is fetched again when a path was removed", async () => {
    const responders: Record<string, () => Response> = {
      [descriptionPath]: () => Response.json(description({})),
      [old]: listed,
    };
    const { client, paths } = serviceWith(responders);
    await client.listRentalHistory();
    const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + retryAfter);
    onTestFinished(() => clock.mockRestore());
    delete responders[old];
    Object.assign(responders, { [descriptionPath]: replaced, [history]: listed });
    expect(await client.listRentalHistory()).toEqual([]);
    expect(paths).toEqual([descriptionPath, old, old, descriptionPath, history]);
  });

  test("no longer delays a call whose signal aborts; another call continues", async () => {
    const { client, paths } = serviceWith({ [descriptionPath]: () => new Promise(() => {}), [old]: listed });
    const controller = new AbortController();
    const ended = client.listRentalHistory({}, { signal: controller.signal });
    const other = client.listRentalHistory();
    await vi.waitFor(() => expect(paths).toEqual([descriptionPath]));
    controller.abort(new Error("enough"));
    await expect(ended).rejects.toThrow("enough");
    expect(await other).toEqual([]);
    expect(paths).toEqual([descriptionPath, old]);
    const aborted = { signal: AbortSignal.abort(new Error("before")) };
    await expect(serviceWith({}).client.listRentalHistory({}, aborted)).rejects.toThrow("before");
  });

  test("leads to a process warning if it does not describe paging, because a list may be incomplete", async () => {
    const warning = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    onTestFinished(() => warning.mockRestore());
    const { client } = serviceWith({
      [descriptionPath]: replaced,
      [history]: () => Response.json([{ id: 1 }]),
    });
    expect(await client.listRentalHistory()).toEqual([{ id: 1 }]);
    expect(warning).toHaveBeenCalledWith(
      expect.stringContaining("There may be more results"),
      expect.anything(),
    );
  });
});
