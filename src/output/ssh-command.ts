/** What a text says about where ssh should go, as it is written there. */
export interface Destination {
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly user?: string | undefined;
}

const TAKES_A_VALUE = /^-[BbcDEeFIiJLlmOoPpQRSWw]$/;

/** Reads `ssh -p 2222 user@host`, `user@host:port`, `ssh://user@host:port` or just a host. */
export function destinationOf(text: string): Destination {
  const words = text.trim().split(/\s+/);
  if (words[0] === "ssh") words.shift();
  let place: string | undefined;
  const options = new Map<string, string | undefined>();
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (TAKES_A_VALUE.test(word)) {
      index += 1;
      options.set(word, words[index]);
    } else if (/^-[pl]./.test(word)) {
      options.set(word.slice(0, 2), word.slice(2));
    } else if (!word.startsWith("-")) {
      place ??= word;
    }
  }
  const { host, port, user } = placeOf((place ?? "").replace(/^ssh:\/\//, ""));
  return { host, port: options.get("-p") ?? port, user: user ?? options.get("-l") };
}

function placeOf(text: string): Destination {
  const at = text.lastIndexOf("@");
  const user = at < 0 ? undefined : text.slice(0, at);
  const rest = text.slice(at + 1);
  const parts = /^\[([^\]]+)\](?::(.*))?$/.exec(rest) ?? /^([^:]*)(?::([^:]*))?$/.exec(rest);
  return parts === null ? { host: rest, user } : { host: parts[1], port: parts[2], user };
}
