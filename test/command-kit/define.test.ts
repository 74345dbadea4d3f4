import { describe, expect, expectTypeOf, test } from "vitest";
import { arg } from "../../src/command-kit/arg.ts";
import { callCommand, defineCommand } from "../../src/command-kit/define.ts";
import { flag, type Size } from "../../src/command-kit/flag.ts";
import { controlCommand } from "../../src/commands/sandbox/control.ts";
import type { InputOf } from "../../src/contract/index.ts";

// What must not compile is checked by the type checker: an unused `@ts-expect-error` is an error.

const view = { kind: "record", id: [] } as const;
const described = { path: "thing do", summary: "Do a thing", view, examples: [] } as const;
const plain = { ...described, run: () => ({ data: null }) };
const spending = { spending: () => "Pay for it?" };
const destruction = { destruction: () => "Delete it?" };

describe("a destructive command requires a confirmation", () => {
  test("if its operation is destructive", () => {
    defineCommand({ ...plain, operation: "deleteCurrentUser", confirm: destruction });
    // @ts-expect-error The command has no confirmation.
    defineCommand({ ...plain, operation: "deleteCurrentUser" });
    // @ts-expect-error The command confirms something else.
    defineCommand({ ...plain, operation: "deleteCurrentUser", confirm: spending });
  });

  test("if another operation that it calls is destructive", () => {
    const also = { operation: "getRental", alsoCalls: ["deleteCurrentUserLegacy"] } as const;
    defineCommand({ ...plain, ...also, confirm: destruction });
    // @ts-expect-error The command has no confirmation.
    defineCommand({ ...plain, ...also });
    // @ts-expect-error The command confirms something else.
    defineCommand({ ...plain, ...also, confirm: spending });
    // @ts-expect-error The command has no confirmation, and no operation of its own.
    defineCommand({ ...plain, alsoCalls: ["deleteCurrentUserLegacy"] });
  });

  test("if it declares a destructive effect", () => {
    defineCommand({ ...plain, effect: "destroy", confirm: destruction });
    // @ts-expect-error The command has no confirmation.
    defineCommand({ ...plain, effect: "destroy" });
    // @ts-expect-error The command confirms something else.
    defineCommand({ ...plain, effect: "destroy", confirm: spending });
  });

  test("even if the command also spends money", () => {
    const both = { operation: "createVirtualMachineRental", effect: "destroy" } as const;
    defineCommand({ ...plain, ...both, confirm: destruction });
    // @ts-expect-error The command confirms only what it spends.
    defineCommand({ ...plain, ...both, confirm: spending });
  });

  test("even if the command affects only the sandbox", () => {
    const act = () => null;
    controlCommand({ ...described, act });
    controlCommand({ ...described, act, effect: "destroy", question: (sandbox) => `Delete ${sandbox}?` });
    // @ts-expect-error The command has no confirmation.
    controlCommand({ ...described, act, effect: "destroy" });
  });
});

describe("a command that spends money requires a confirmation", () => {
  test("if its operation spends money", () => {
    defineCommand({ ...plain, operation: "createVirtualMachineRental", confirm: spending });
    // @ts-expect-error The command has no confirmation.
    defineCommand({ ...plain, operation: "createVirtualMachineRental" });
    // @ts-expect-error The command confirms something else.
    defineCommand({ ...plain, operation: "createVirtualMachineRental", confirm: destruction });
  });

  test("if another operation that it calls spends money, or if it declares that effect", () => {
    const also = { operation: "getRental", alsoCalls: ["extendReserved"] } as const;
    defineCommand({ ...plain, ...also, confirm: spending });
    // @ts-expect-error The command has no confirmation.
    defineCommand({ ...plain, ...also });
    defineCommand({ ...plain, effect: "spend", confirm: spending });
    // @ts-expect-error The command has no confirmation.
    defineCommand({ ...plain, effect: "spend" });
  });
});

describe("a command that only sends its operation", () => {
  test("needs no confirmation if it only reads, or if its change neither costs nor destroys anything", () => {
    expect(callCommand({ ...described, operation: "listStorageVolumes" })).not.toHaveProperty("confirm");
    defineCommand({ ...plain, operation: "updateCurrentUser" });
  });

  test("must neither spend nor destroy", () => {
    // @ts-expect-error The command destroys.
    callCommand({ ...described, operation: "deleteCurrentUser" });
    // @ts-expect-error The command spends.
    callCommand({ ...described, operation: "convertToReserved" });
    // @ts-expect-error callCommand accepts no alsoCalls.
    callCommand({ ...described, operation: "getRental", alsoCalls: ["deleteCurrentUser"] });
  });
});

test("a command can declare only operations that exist", () => {
  // @ts-expect-error The contract has no such operation.
  defineCommand({ ...plain, operation: "deleteEverything" });
});

test("the types of flags, arguments and input follow from the declaration", () => {
  defineCommand({
    ...described,
    operation: "getRental",
    args: [
      arg.text("NAME", "A name", { required: true }),
      arg.text("OTHER", "Another name"),
      arg.choice("SHELL", "A shell", ["bash", "zsh"], { required: true }),
      arg.number("COUNT", "A number"),
      arg.texts("FILES", "Files"),
      arg.field("RENTAL", "ID of the rental", "rentalId", { required: true }),
    ],
    flags: {
      force: flag.boolean("A switch"),
      label: flag.text("A text"),
      title: flag.text("A text", { default: "none" }),
      times: flag.integer("A number", { minimum: 1 }),
      port: flag.integer("A number", { default: "8787", minimum: 0 }),
      interval: flag.duration("Milliseconds", { default: "5s" }),
      size: flag.size("Pixels"),
      kind: flag.choice("A kind", ["vm", "bare-metal"]),
      state: flag.choice("A state", ["running", "ended"], { default: "running" }),
      stop: flag.texts("Texts"),
      param: flag.params("Fields"),
    },
    run: ({ input, args, flags }) => {
      expectTypeOf(input).toEqualTypeOf<InputOf<"getRental">>();
      expectTypeOf(args).toEqualTypeOf<{
        readonly name: string;
        readonly other: string | undefined;
        readonly shell: "bash" | "zsh";
        readonly count: number | undefined;
        readonly files: readonly string[];
      }>();
      expectTypeOf(flags).toEqualTypeOf<{
        readonly force: boolean;
        readonly label: string | undefined;
        readonly title: string;
        readonly times: number | undefined;
        readonly port: number;
        readonly interval: number;
        readonly size: Size | undefined;
        readonly kind: "vm" | "bare-metal" | undefined;
        readonly state: "running" | "ended";
        readonly stop: readonly string[];
        readonly param: Readonly<Record<string, unknown>>;
      }>();
      return { data: null };
    },
  });
});

test("a command without an operation gets the input that it built, and only the ports that it uses", () => {
  defineCommand({
    ...described,
    uses: ["profiles"],
    buildInput: () => ({ names: ["a"] }),
    confirm: {
      destruction: ({ input }) => {
        expectTypeOf(input).toEqualTypeOf<{ names: string[] }>();
        return undefined;
      },
    },
    run: (given) => {
      expectTypeOf(given.input).toEqualTypeOf<{ names: string[] }>();
      expectTypeOf(given).toHaveProperty("profiles");
      expectTypeOf(given).not.toHaveProperty("secrets");
      return { data: null };
    },
  });
});
