import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";

const notFound = () =>
  Response.json({ code: "NOT_FOUND", message: "Not found", issues: [] }, { status: 404 });

describe("user update", () => {
  test("sends only the fields of the flags, and prints the user", async () => {
    const { run } = await createCli();
    const { out, requests } = await run('user update --name "Ada Lovelace" --sandbox');
    expect(requests).toEqual([
      expect.objectContaining({ method: "PUT", path: "/v2/users/me", body: { name: "Ada Lovelace" } }),
    ]);
    expect(out).toMatchInlineSnapshot(`
      "success:             true
      user.id:             sandbox-user
      user.email:          sandbox@example.com
      user.name:           Ada Lovelace
      user.picture:        https://example.com/sandbox.png
      user.provider:       sandbox
      user.emailVerified:  true
      user.isActive:       true
      user.createdAt:      2026-11-20T12:00:00.000Z
      user.onboardedAt:    2026-11-20T12:00:00.000Z
      user.onboardedFor:   testing
      user.referralCode:   SANDBOX
      "
    `);
    expect((await run("user update --onboarded-for research -o id --sandbox")).out).toBe("sandbox-user\n");
  });

  test("sends nothing if no field is set", async () => {
    const { run } = await createCli();
    const { code, err, requests } = await run("user update --sandbox");
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain("--name");
  });

  test("uses the deprecated path if the new path does not exist, and prints the sunset date of the deprecated path once", async () => {
    const { run } = await createCli({
      respond: ({ path }) => (path === "/v2/users/me" ? notFound() : undefined),
    });
    const { code, err, requests } = await run("user update --name Ada --sandbox");
    expect(code).toBe(0);
    expect(requests.map(({ path }) => path)).toEqual(["/v2/users/me", "/users/me"]);
    expect(err).toBe("/users/me is deprecated; it stops working on 2027-03-01.\n");
    expect((await run("user update --name Ada --sandbox --quiet")).err).toBe("");
  });
});

describe("user delete", () => {
  test("requires --yes without a terminal", async () => {
    const { run } = await createCli();
    const { code, out, err, requests } = await run("user delete --sandbox");
    expect({ code, out, requests }).toEqual({ code: 2, out: "", requests: [] });
    expect(err).toContain("--yes");
  });

  test("deletes the user with --yes", async () => {
    const { run } = await createCli();
    expect(JSON.parse((await run("user delete --yes --sandbox -o json")).out)).toEqual({ success: true });
    expect(await run("rentals list --sandbox")).toMatchObject({ code: 3 });
  });
});
