import { expect, test } from "vitest";
import { Interrupted } from "../../src/core/errors.ts";
import { createCli } from "../support/cli.ts";
import { overNetwork } from "../support/service.ts";

const vm = "rentals create vm --gpus 1 --yes";

/** A CLI whose service calls `respond` for requests with this method, and the signal that Ctrl-C aborts. */
function interruptedAt(
  method: string,
  respond: (controller: AbortController) => Response | Promise<Response>,
) {
  const controller = new AbortController();
  const cli = createCli({
    respond: (request) => {
      return request.method === method ? respond(controller) : Response.json([]);
    },
  });
  return { signal: controller.signal, cli };
}

/** Presses Ctrl-C. The service then never responds. */
const never = (controller: AbortController) => {
  controller.abort();
  return new Promise<Response>(() => {});
};

test("Ctrl-C during a read exits with 130", async () => {
  const { signal, cli } = interruptedAt("GET", never);
  const outcome = await (await cli).run("volumes list", { ...overNetwork(), signal });
  expect(outcome).toMatchObject({ code: 130, out: "", err: "Error: interrupted\n" });
});

test("if Ctrl-C comes before a create is sent, nothing more is sent", async () => {
  const { signal, cli } = interruptedAt("GET", (controller) => {
    controller.abort();
    return Response.json([]);
  });
  const { code, err, requests } = await (await cli).run(vm, { ...overNetwork(), signal });
  expect({ code, err }).toEqual({ code: 130, err: "Error: interrupted: nothing was spent\n" });
  expect(requests.map(({ method }) => method)).toEqual(["GET"]);
});

test.each([
  ["rentals run", "rentals run --gpus 1 --max-cost 1 --yes -- true"],
  ["rentals create --max-burn", `${vm} --max-burn 10`],
])("after Ctrl-C during a lookup by %s, the error says that nothing was spent", async (_, line) => {
  const { signal, cli } = interruptedAt("GET", never);
  const { code, err, requests } = await (await cli).run(line, { ...overNetwork(), signal });
  expect({ code, err }).toEqual({ code: 130, err: "Error: interrupted: nothing was spent\n" });
  expect(requests.filter(({ method }) => method !== "GET")).toEqual([]);
});

test("after Ctrl-C at the confirmation, the error says that nothing was spent", async () => {
  const { run } = await createCli();
  const prompts = { confirm: () => Promise.reject(new Interrupted()) };
  const { code, err } = await run("rentals create vm --gpus 1 --sandbox", { terminal: 80, prompts });
  expect({ code, err }).toEqual({ code: 130, err: "Error: interrupted: nothing was spent\n" });
});

test.each([
  ["was created", 200],
  ["was refused", 409],
])("if Ctrl-C comes after a rental %s, the error does not say that nothing was spent", async (_, status) => {
  const { signal, cli } = interruptedAt("POST", (controller) => {
    controller.abort();
    return Response.json({ id: 1001, status: "Provisioning" }, { status });
  });
  const { code, err } = await (await cli).run(`${vm} --wait`, { ...overNetwork(), signal });
  expect(code).toBe(130);
  expect(err).not.toContain("nothing was spent");
});

test("if Ctrl-C comes after a create was sent, the error says that the rental may exist", async () => {
  const { signal, cli } = interruptedAt("POST", never);
  const { code, out, err, requests } = await (await cli).run(vm, { ...overNetwork(), signal });
  expect({ code, out }).toEqual({ code: 130, out: "" });
  expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  expect(err).toContain("may have taken effect");
  expect(err).toContain("gpuctl rentals list");
});

test("Ctrl-C during a streamed reply keeps the partial output", async () => {
  const { signal, cli } = interruptedAt("POST", (controller) => {
    const part = new TextEncoder().encode('data: {"choices":[{"delta":{"content":"so far"}}]}\n\n');
    const body = new ReadableStream({
      start: (stream) => stream.enqueue(part),
      pull: (stream) => {
        controller.abort();
        stream.error(controller.signal.reason);
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  const { code, out } = await (await cli).run("chat Hello -m llama", { ...overNetwork(), signal });
  expect({ code, out }).toEqual({ code: 130, out: "so far\n" });
});
