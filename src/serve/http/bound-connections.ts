import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Keeps at most so many connections. A new one takes the place of the one that has asked for nothing for the longest
 * time, or, when all are being answered, of the one that has been answered for the longest time. So those who open
 * connections and say nothing, or read nothing, keep nobody out.
 */
export function boundConnections(server: Server, most: number): void {
  /** Connections without a request that is being answered, the longest idle first. */
  const idle = new Set<Socket>();
  /** How many requests of the others are being answered: a client may send the next before it has the first answer. */
  const answering = new Map<Socket, number>();

  server.on("connection", (socket: Socket) => {
    socket.once("close", () => {
      idle.delete(socket);
      answering.delete(socket);
    });
    if (idle.size + answering.size >= most) {
      const [longest] = idle.size > 0 ? idle : answering.keys();
      // Its place is free from now on, not when it is closed.
      if (longest !== undefined) {
        idle.delete(longest);
        answering.delete(longest);
        longest.destroy();
      }
    }
    idle.add(socket);
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (socket.destroyed) return;
    idle.delete(socket);
    answering.set(socket, (answering.get(socket) ?? 0) + 1);
    response.once("close", () => {
      const left = (answering.get(socket) ?? 0) - 1;
      if (left > 0) answering.set(socket, left);
      else if (answering.delete(socket) && !socket.destroyed) idle.add(socket);
    });
  });
}
