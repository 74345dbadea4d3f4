import { spawn } from "node:child_process";
import { createServer, type Server, type Socket } from "node:net";
import { isOwnConnection } from "../peer.ts";

/** A running machine: a port of this computer on which sshd responds. */
export interface Machine {
  readonly port: number;
  /** Closes the port and ends all connections. */
  stop(): void;
}

/** Machines listen on this address. */
export const loopback = "127.0.0.1";

/**
 * Listens on a port, if possible the given one, and starts an sshd for each connection. All data passes through this
 * process. When the process ends, even if it is killed, no open port and no sshd remain.
 */
export async function startMachine(sshd: string, config: string, port: number): Promise<Machine> {
  const stops = new Set<() => void>();
  const server = createServer((socket) => {
    void isAllowed(socket).then((allowed) => {
      if (!allowed || !server.listening) return socket.destroy();
      const stop = serveConnection(socket, sshd, config);
      stops.add(stop);
      return socket.once("close", () => stops.delete(stop));
    });
  });
  const actual = await listen(server, port).catch(() => listen(server, 0));
  return {
    port: actual,
    stop() {
      server.close();
      for (const stop of stops) stop();
    },
  };
}

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, loopback, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });

/** Starts an sshd that serves only this connection. Returns a function that ends the sshd and the connection. */
function serveConnection(socket: Socket, sshd: string, config: string): () => void {
  // sshd does not get the variables of this process, because they may contain keys. It has its own process group, so
  // that Ctrl-C does not reach it.
  const child = spawn(sshd, ["-i", "-E", `${config}.log`, "-f", config], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
    detached: true,
  });
  socket.setNoDelay(true);
  for (const stream of [socket, child.stdin, child.stdout]) stream.on("error", () => socket.destroy());
  child.once("error", () => socket.destroy());
  socket.once("close", () => {
    child.stdin.destroy();
    child.stdout.destroy();
  });
  socket.pipe(child.stdin);
  child.stdout.pipe(socket);
  return () => {
    child.kill();
    socket.destroy();
  };
}

/**
 * Whether a connection is passed on to sshd. Every user of this computer can connect, and can add SSH keys to a served
 * sandbox, so only connections of this user and of root are passed on. If the system does not say who opened a
 * connection, the connection is passed on, too.
 */
const isAllowed = async (socket: Socket): Promise<boolean> => (await isOwnConnection(socket)) ?? true;
