import { addAbortListener } from "node:events";
import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { nothingDone } from "../../command-kit/results.ts";
import { controlToken, tokenFileVariable } from "../../core/control-token.ts";
import { UsageError } from "../../core/errors.ts";
import { operationSetNames, scenarios } from "../../core/sandbox.ts";
import { quoted } from "../../core/text.ts";
import { isLoopback } from "../../core/urls.ts";
import { readText, refusal, unchanged } from "./control.ts";
import { scenarioNames } from "./scenario.ts";
import { seedField } from "./seed.ts";

const tokenSource = "--token-file";

/** With these hosts, the server listens on every address of this computer, including its loopback address. */
const everyAddress = ["0.0.0.0", "[::]"];

export default defineCommand({
  path: "sandbox serve",
  summary: "Serve the sandbox over HTTP, for curl, SDKs and browsers",
  details:
    "By default, serves the documented operations, the replacements of deprecated ones, and operations that the service is assumed to have although they are not documented. Some replacements are documented, too, such as PUT /v2/users/me. `--only documented` serves the documented operations alone. `--only legacy` serves the documented operations without any replacements. `--only replacements` serves the documented operations, with replacements instead of the deprecated ones; how these replacements split lists into pages is an assumption of the sandbox. With `--machines`, each running rental is an OpenSSH server on this computer. This needs sshd, and whoever logs in runs programs on this computer, without isolation. Open the address in a browser on this computer to see what is going on (rentals, money, requests, the clock, faults); `/docs` shows a reference of the API and of the controls. To open these pages from another computer, forward the port: `ssh -L 8787:localhost:8787 HOST`.",
  flags: {
    port: flag.integer("Port to listen on; 0 picks a free one", {
      default: "8787",
      value: "PORT",
      minimum: 0,
      maximum: 65_535,
    }),
    host: flag.text("Address to listen on", { default: "127.0.0.1", value: "HOST" }),
    only: flag.choice("Serve only this set of operations", operationSetNames, {
      value: "SET",
      defaultText: "all operations",
    }),
    seed: flag.text("Start with the contents of a file, as `gpuctl sandbox seed` does; - reads stdin", {
      value: "FILE",
      readsStdin: "-",
    }),
    scenario: flag.choice("Start a scenario of `gpuctl sandbox scenario`", scenarioNames, { value: "NAME" }),
    memory: flag.boolean("Keep the state in memory, separate from the local sandbox"),
    tokenFile: flag.text("File with a token that lets other machines use the sandbox's controls", {
      value: "FILE",
      env: tokenFileVariable,
    }),
    machines: flag.boolean("Start an OpenSSH server on this computer for each running rental"),
  },
  uses: ["sandboxServer"],
  view: { kind: "record", id: ["url"] },
  examples: [
    { text: "Serve until Ctrl-C", command: "gpuctl sandbox serve" },
    {
      text: "Serve on a free port and print the address as JSON",
      command: "gpuctl sandbox serve --port 0 -o json",
    },
    {
      text: "Serve a sandbox whose H100s are sold out in two regions",
      command: "gpuctl sandbox serve --port 0 --scenario capacity-crunch",
    },
    {
      text: "Serve a seed, and keep the state in memory",
      command: "printf 'balanceCents: 5000' | gpuctl sandbox serve --port 0 --seed - --memory",
    },
    {
      text: "Serve an API without the deprecated operations",
      command: "gpuctl sandbox serve --port 0 --only replacements",
    },
  ],
  confirm: {
    destruction: ({ flags: { seed, memory } }) =>
      seed === undefined || memory ? undefined : "Replace everything in the sandbox with the seed?",
  },
  run: async ({
    flags: { port, host, only, seed: seedFile, scenario, memory, tokenFile, machines },
    sandboxServer,
    settings,
    files,
    say,
    interrupted,
  }) => {
    if (host.trim() === "") throw new UsageError("--host must be an address such as 127.0.0.1, not empty");
    if (machines && !isLoopback(host)) {
      throw new UsageError(
        `--machines cannot be used with --host ${host}: anyone who can reach the sandbox could log in to this computer`,
      );
    }
    const token = tokenFile
      ? controlToken(await readText(tokenFile, files, tokenSource), tokenSource)
      : undefined;
    const seed = seedFile === undefined ? undefined : await readText(seedFile, files, "--seed");
    if (settings.dryRun) {
      say(nothingDone);
      return { data: { url: null, host, port } };
    }
    const { serve, keys, prepareStart } = await sandboxServer({ memory });
    const refused = (error: unknown) => {
      throw refusal(error, (path) => seedField(path, seedFile ?? ""), unchanged);
    };
    const start = await prepareStart({ seed, scenario }).catch(refused);
    const server = await serve({ host, port, controlToken: token, only, machines });
    if (seed !== undefined || scenario !== undefined) {
      try {
        start();
      } catch (error) {
        await server.close();
        refused(error);
      }
    }
    const what = only === undefined ? "" : ` (--only ${only})`;
    say(`Serving the sandbox${what}. No real GPUs are rented. Press Ctrl-C to stop.`);
    if (scenario !== undefined) say(`The scenario is ${scenario}: ${scenarios[scenario]}.`);
    if (machines) {
      say(
        "Running rentals are OpenSSH servers on this computer. Anyone who logs in runs programs here as you.",
      );
      say("A rental that was created without SSH keys accepts this key:");
      say(`  ssh -i ${quoted(server.identityFile ?? "")} -p PORT USER@HOST`);
    }
    const { hostname, port: servedPort } = new URL(server.url);
    if (isLoopback(hostname)) {
      say("Open the address in a browser to see what is going on.");
    } else {
      say("Anyone who can reach this address over the network can use the sandbox.");
      const isEveryAddress = everyAddress.includes(hostname);
      const noToken = isEveryAddress
        ? "Only this computer"
        : "Without --token-file, no one who uses this address";
      say(
        `${token === undefined ? noToken : `Anyone with the token in ${tokenFile}`} can use the sandbox's controls.`,
      );
      say(
        isEveryAddress
          ? `To see what is going on, open http://localhost:${servedPort}/ in a browser on this computer.`
          : "The page that shows what is going on cannot be opened at this address. It needs --host 127.0.0.1 or --host 0.0.0.0.",
      );
    }
    return {
      data: {
        url: server.url,
        apiKey: keys.full,
        readOnlyApiKey: keys.readOnly,
        ...(machines && { identityFile: server.identityFile }),
      },
      until: new Promise((resolve) => addAbortListener(interrupted, resolve)).then(server.close),
    };
  },
});
