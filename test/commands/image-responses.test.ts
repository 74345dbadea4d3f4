import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { base64, painter, saved, tinyPng } from "../support/pictures.ts";
import { always, overNetwork } from "../support/service.ts";

const jpeg = Uint8Array.of(
  0xff,
  0xd8,
  0xff,
  0xe0,
  0,
  16,
  0x4a,
  0x46,
  0x49,
  0x46,
  0,
  1,
  1,
  0,
  0,
  1,
  0,
  1,
  0,
  0,
  0xff,
  0xd9,
);

describe("image --image", () => {
  test("sends the reference picture from a file or stdin as base64", async () => {
    const cli = await painter(tinyPng());
    await writeFile(join(cli.folder, "in.png"), tinyPng());
    const file = await cli.run("image cat --image in.png --strength 0.3", overNetwork());
    expect(file.requests[0]?.body).toMatchObject({ image: base64(tinyPng()), strength: 0.3 });
    const piped = await cli.run("image cat --image - --out x.png", { ...overNetwork(), stdin: tinyPng() });
    expect(piped.requests[0]?.body).toMatchObject({ image: base64(tinyPng()), prompt: "cat" });
  });

  test("does not print the reference picture in the output", async () => {
    const cli = await painter(tinyPng());
    await writeFile(join(cli.folder, "in.png"), tinyPng());
    const { out } = await cli.run("image cat --image in.png -o json", overNetwork());
    expect(out).not.toContain(base64(tinyPng()));
  });

  test("rejects a file that is not a picture, a missing file, and the model FLUX.1-dev", async () => {
    const cli = await createCli();
    await writeFile(join(cli.folder, "in.txt"), "no picture");
    await writeFile(join(cli.folder, "in.png"), tinyPng());
    for (const flags of ["--image in.txt", "--image nowhere.png", "--image in.png -m FLUX.1-dev"]) {
      const outcome = await cli.run(`image cat ${flags} --sandbox`);
      expect(outcome).toMatchObject({ code: 2, out: "", requests: [] });
    }
  });
});

describe("an unexpected response to image", () => {
  test.each([
    [{ images: [{ image: "***" }] }],
    [{ images: [{ image: "" }] }],
    [{ images: [] }],
    [{ images: null }],
    [{}],
    [null],
  ])("makes image exit with 7 and save no picture: %j", async (body) => {
    const cli = await createCli({ respond: always(200, body) });
    const { code, out } = await cli.run("image cat", overNetwork());
    expect({ code, out }).toEqual({ code: 7, out: "" });
    expect((await saved(cli)).filter((name) => !name.includes("-response."))).toEqual([]);
  });

  test("is saved with the extension of its own type if that is not the requested type", async () => {
    const cli = await painter(jpeg);
    const { out, err } = await cli.run("image cat --out cat.png --no-metadata", overNetwork());
    expect(out).toBe(`${join(cli.folder, "cat.jpg")}\n`);
    expect(err).toContain("The response is image/jpeg, so it was saved as");
    expect(await readFile(join(cli.folder, "cat.jpg"))).toEqual(Buffer.from(jpeg));
  });
});

describe("a response to image whose JSON repeats a field", () => {
  const png = `"image":"${base64(tinyPng())}"`;
  test.each([
    ["the second value is null", `{"images":[{${png},"image":null}]}`, 1],
    ["the second list is null", `{"images":[{${png}}],"images":null}`, 1],
    ["only the first of two pictures repeats the field", `{"images":[{${png},"image":null},{${png}}]}`, 2],
    ["each value is a picture", `{"images":[{${png},${png}}]}`, 2],
  ])("loses no picture: %s", async (_, body, count) => {
    const cli = await createCli({ respond: () => new Response(body) });
    const { code, out } = await cli.run("image cat --out cat.png --no-metadata", overNetwork());
    expect(code).toBe(0);
    const paths = out.trimEnd().split("\n");
    expect(paths).toHaveLength(count);
    for (const path of paths) expect(await readFile(path)).toEqual(Buffer.from(tinyPng()));
  });
});

test("the error for an invalid response does not print the base64 text of a picture", async () => {
  const cli = await createCli({ respond: () => new Response('{"images":[{"image":"iVBORw0K"}], oops') });
  const { err } = await cli.run("image cat", overNetwork());
  expect(err).toContain('the response is not JSON: {"images":[{"image":"…"}], oops');
});
