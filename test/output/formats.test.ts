import { describe, expect, test } from "vitest";
import type { Format } from "../../src/core/view.ts";
import { type FormatOptions, formatted } from "../../src/output/formats.ts";
import { sshAddresses } from "../../src/output/ssh.ts";
import { now } from "./rendering.ts";

const terminal: FormatOptions = { terminal: true, now };
const show = (value: unknown, format: Format, options = terminal) =>
  formatted({ value }, { paths: ["value"], format }, options);
const ssh = (record: unknown) => formatted(record, { paths: [], format: "ssh" }, terminal);

describe("a column", () => {
  test("shows cents as dollars, on a terminal and in a pipe", () => {
    expect(show(123450, "cents")).toBe("$1,234.50");
    expect(show(123450, "cents", { terminal: false, now })).toBe("$1,234.50");
    expect(show(0, "cents")).toBe("$0.00");
    expect(show("unknown", "cents")).toBe("unknown");
  });

  test("shows a time relative to now, but only on a terminal and only if the time can be parsed", () => {
    expect(show("2026-09-12 13:59:00.123+00", "time")).toBe("3h ago");
    expect(show("2026-09-12 13:59:00.123+00", "time", { terminal: false, now })).toBe(
      "2026-09-12 13:59:00.123+00",
    );
    expect(show("soon", "time")).toBe("soon");
    expect(show(1789, "time")).toBe("1789");
  });

  test("shows lists, booleans and missing values as text", () => {
    expect(show(["a", 1, null], "list")).toBe("a, 1, ");
    expect(show(true, "yes-no")).toBe("yes");
    expect(show(false, "yes-no")).toBe("no");
    expect(show("maybe", "yes-no")).toBe("maybe");
    expect(show(null, "text")).toBe("");
    expect(show(undefined, "number")).toBe("");
    expect(show({ a: [1] }, "text")).toBe('{"a":[1]}');
  });

  test("shows GPUs as their count and model, as far as they are known", () => {
    const gpus = (record: unknown) => formatted(record, { paths: ["gpuType"], format: "gpus" }, terminal);
    expect(gpus({ gpuCount: 8, gpuType: "h100" })).toBe("8x h100");
    expect(gpus({ gpuType: "h100" })).toBe("h100");
    expect(gpus({ gpuCount: 8 })).toBe("8");
    expect(gpus({})).toBe("");
  });
});

describe("an ssh address", () => {
  test("comes from the first known location that has one", () => {
    const nodeNetworking = [{ publicIp: "192.0.2.1" }, { publicIp: "192.0.2.2" }];
    expect(
      ssh({ providerData: { sshNetworking: [{ host: "h", port: 2222, user: "u" }], nodeNetworking } }),
    ).toBe("u@h:2222");
    expect(ssh({ providerData: { sshNetworking: [], nodeNetworking } })).toBe("192.0.2.1, 192.0.2.2");
    expect(ssh({ meta: { ssh_command: "ssh -i key -p 2222 ubuntu@192.0.2.3" } })).toBe(
      "ubuntu@192.0.2.3:2222",
    );
    expect(ssh({ meta: { node_networking: ["root@192.0.2.4", { public_ip: "192.0.2.5" }] } })).toBe(
      "root@192.0.2.4, 192.0.2.5",
    );
  });

  test("omits port 22, and puts an IPv6 address in brackets only before a port", () => {
    const at = (node: unknown) => ssh({ providerData: { sshNetworking: [node] } });
    expect(at({ host: "h", port: 22, user: "u" })).toBe("u@h");
    expect(at({ host: "h", port: "2200" })).toBe("h:2200");
    expect(at({ host: "2001:db8::1" })).toBe("2001:db8::1");
    expect(at({ host: "2001:db8::1", port: 2200 })).toBe("[2001:db8::1]:2200");
  });

  test.each([
    ["ssh u@h", "u@h"],
    ["ssh -l u h -p2200", "u@h:2200"],
    ["ssh://u@h:2200", "u@h:2200"],
    ["h", "h"],
    ["u@[2001:db8::1]:2200", "u@[2001:db8::1]:2200"],
    ["2001:db8::1", "2001:db8::1"],
    ["ssh -o StrictHostKeyChecking=no u@h uptime", "u@h"],
  ])("is read from the text %s", (command, address) => {
    expect(ssh({ meta: { ssh_command: command } })).toBe(address);
  });

  test("is missing if the record has none or only invalid ones", () => {
    const bad = [
      { host: "-oProxyCommand=touch x" },
      { host: "-Fconfig" },
      { host: "h", user: "-l" },
      { host: "h", port: 0 },
      { host: "h", port: "x" },
      { host: "" },
      null,
      7,
      "",
      "ssh",
    ];
    expect(sshAddresses({})).toEqual([]);
    expect(sshAddresses(null)).toEqual([]);
    expect(sshAddresses({ providerData: { sshNetworking: bad } })).toEqual([]);
  });

  test("is split into host, port and user", () => {
    expect(sshAddresses({ providerData: { sshNetworking: [{ host: "h", port: null, user: "u" }] } })).toEqual(
      [{ host: "h", port: 22, user: "u" }],
    );
  });
});
