import { describe, expect, test } from "vitest";
import { ConnectionFailed } from "../../src/core/service-errors.ts";
import { createCli, type Responder } from "../support/cli.ts";
import { overNetwork } from "../support/service.ts";

const created: Responder = ({ method, path }) =>
  method === "POST" ? Response.json({ id: 7 }) : path.endsWith("-rentals") ? Response.json([]) : undefined;

/** A service that creates a rental and responds to later lookups with `lookup`. */
const thenLookup =
  (lookup: () => Response): Responder =>
  (request) =>
    request.path === "/v2/on-demand/rental" ? lookup() : created(request);

const reset = () => {
  throw new ConnectionFailed("the connection was reset", { code: "ECONNRESET", sent: true });
};

const line = "rentals create vm --gpus 1 --wait --retries 0 --wait-timeout 1s -o json --yes";

describe("when a rental was created but waiting for it fails", () => {
  test.each([
    ["the network fails", reset, "the connection was reset"],
    ["the service fails", () => Response.json({}, { status: 503 }), "could not be read: "],
    [
      "the rental does not start",
      () => Response.json({ id: 7, state: "active", status: "Pending" }),
      "pending",
    ],
    ["the rental is not found", () => Response.json(null), "rental 7 not found"],
  ])(
    "the error shows the ID of the rental and does not suggest a retry, if the wait times out because %s",
    async (_name, lookup, reason) => {
      const { run } = await createCli({ respond: thenLookup(lookup) });
      const outcome = await run(line, overNetwork());
      expect(outcome).toMatchObject({ code: 8, out: "" });
      expect(JSON.parse(outcome.err).error.message.toLowerCase()).toContain(reason);
      const { error } = JSON.parse(outcome.err);
      expect(error.retryable).toBe(false);
      expect(error.hint).toContain("Rental 7 was created and is billed. Do not create it again.");
      expect(error.hint).not.toContain("safe to try again");
    },
  );
});

describe("a create for which the service returns no ID", () => {
  let listed: readonly object[] = [];
  const withoutId: Responder = ({ method, path }) => {
    if (method === "POST") {
      listed = [{ id: 7 }];
      return Response.json({ label: "train" });
    }
    return path.endsWith("-rentals") ? Response.json(listed) : undefined;
  };

  test.each(["", " --count 2"])(
    "has an unknown outcome with --wait, and the error lists new rentals (flags: %j)",
    async (count) => {
      listed = [];
      const { run } = await createCli({ respond: withoutId });
      const outcome = await run(
        `rentals create vm --gpus 1 --label train --wait -o json --yes${count}`,
        overNetwork(),
      );
      expect(outcome).toMatchObject({ code: 10, out: "" });
      expect(JSON.stringify(JSON.parse(outcome.err))).toContain("New in the listing: 7.");
      expect(outcome.err).toContain("the response has no ID");
    },
  );

  test.each(["", " --count 2"])(
    "also has an unknown outcome with -o id but without --wait, because there is no ID to print (flags: %j)",
    async (count) => {
      listed = [];
      const { run } = await createCli({ respond: withoutId });
      const outcome = await run(`rentals create vm --gpus 1 -o id --yes${count}`, overNetwork());
      expect(outcome).toMatchObject({ code: 10, out: "" });
      expect(outcome.err).toContain("New in the listing: 7.");
    },
  );

  test("is a success with -o json but without --wait, and a warning lists new rentals", async () => {
    listed = [];
    const { run } = await createCli({ respond: withoutId });
    const outcome = await run("rentals create vm --gpus 1 -o json --yes", overNetwork());
    expect(outcome).toMatchObject({ code: 0, out: '{\n  "label": "train"\n}\n' });
    expect(outcome.err).toContain("Warning: the response has no ID. New in the listing: 7.");
  });
});

test.each(["", "null"])("a create with the response %j has an unknown outcome", async (body) => {
  const { run } = await createCli({
    respond: ({ method }) => (method === "POST" ? new Response(body) : Response.json([])),
  });
  const outcome = await run("rentals create vm --gpus 1 -o json --yes", overNetwork());
  expect(outcome).toMatchObject({ code: 10, out: "" });
  expect(JSON.parse(outcome.err).error.message).toContain("with no content");
});

test("a create with --if-absent and --wait creates nothing if the rental that it finds has no ID, because gpuctl cannot wait for it", async () => {
  const { run } = await createCli({
    respond: ({ method }) => (method === "GET" ? Response.json([{ label: "train" }]) : undefined),
  });
  const outcome = await run(
    "rentals create vm --gpus 1 --label train --if-absent --wait --yes",
    overNetwork(),
  );
  expect({ code: outcome.code, posts: outcome.requests.filter(({ method }) => method === "POST") }).toEqual({
    code: 7,
    posts: [],
  });
  expect(outcome.err).toContain("the rental has no ID in the service's list");
});
