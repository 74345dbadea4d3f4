import type { Agent, ClientRequest, RequestOptions } from "node:http";
import type { Socket } from "node:net";

/** How an agent gets its requests. Node.js calls this method of every agent, but its types do not list it. */
interface TakesRequests {
  addRequest: (request: ClientRequest, options: RequestOptions) => void;
}

/** How long a connection that is shared by writes may be idle, in milliseconds. */
export const maxIdleTime = 1_000;

/**
 * Makes an agent that serves one host keep its idle connections in a list. An agent takes a quarter of the processor
 * time of a request to find the host's idle connections and to restart their timers. Returns the agent.
 */
export function pooled(agent: Agent): Agent {
  /** In the order in which they became idle. */
  const idle: { readonly socket: Socket; readonly since: number }[] = [];
  const isExpired = (since: number): boolean => performance.now() - since >= maxIdleTime;
  const { addRequest } = agent as Agent & TakesRequests;
  agent.removeAllListeners("free");
  agent.on("free", (socket: Socket) => {
    while (idle[0] && isExpired(idle[0].since)) idle.shift()?.socket.destroy();
    socket.unref();
    idle.push({ socket, since: performance.now() });
  });
  const replacement: TakesRequests = {
    addRequest: (request, options) => {
      for (let last = idle.pop(); last; last = idle.pop()) {
        const { socket, since } = last;
        if (!socket.writable || isExpired(since)) {
          socket.destroy();
          continue;
        }
        request.reusedSocket = true;
        socket.ref();
        request.onSocket(socket);
        return;
      }
      // A connection that breaks while it is idle is not used again. Without a listener, its error would end gpuctl.
      request.once("socket", (socket) => socket.on("error", () => {}));
      addRequest.call(agent, request, options);
    },
  };
  return Object.assign(agent, replacement);
}
