import { isLoopbackAddress, isLoopbackUrl } from "../peer.ts";

/** The response text for a browser that is not allowed to open the pages. `url` is the URL that it requested. */
export function denialText(url: string, peer: string | undefined): string {
  const { protocol, hostname, port, pathname } = new URL(url);
  const local = `${protocol}//localhost${port && `:${port}`}${pathname}`;
  return [
    "403 Forbidden",
    "This is a gpuctl sandbox, which simulates a GPU cloud. Its web pages open only on the computer that serves it, because they control the sandbox.",
    ...ways({
      isSameMachine: isLoopbackAddress(peer),
      isLoopback: isLoopbackUrl(url),
      hostname,
      port: port || "80",
      local,
    }),
    "Programs can use the API at this address. `gpuctl sandbox serve --help` says how they can use the controls.",
    "",
  ].join("\n\n");
}

interface Place {
  readonly isSameMachine: boolean;
  readonly isLoopback: boolean;
  readonly hostname: string;
  readonly port: string;
  /** The URL of the page on the machine that serves it. */
  readonly local: string;
}

/** How the user can open the page, as paragraphs. */
function ways({ isSameMachine, isLoopback, hostname, port, local }: Place): readonly string[] {
  if (isSameMachine) return [`On this machine, open the page at ${local}`];
  if (isLoopback)
    return [
      "This address leads to another machine or to a container. To open the page of a container, run the container in the network of the host, for example with `docker run --network host`. In Kubernetes, use `kubectl port-forward`.",
    ];
  return [
    "To open the page from your machine, forward the port with SSH:",
    `    ssh -L ${port}:localhost:${port} USER@${hostname.replace(/^\[|\]$/g, "")}`,
    `Then open ${local}`,
  ];
}
