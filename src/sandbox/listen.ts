import { createServer } from "node:http";
import type { Server } from "node:http";
import { EdgewiseError } from "../errors.js";

/**
 * Opens a server on 127.0.0.1 that has no handler yet; the caller sets one before it waits for anything.
 * @throws EdgewiseError `io` when the port can't be had
 */
export async function listen(port: number): Promise<{ readonly server: Server; readonly baseUrl: string }> {
  // Longer than clients keep idle connections: otherwise a request can meet a connection that is just being closed.
  const server = createServer({ keepAliveTimeout: 75_000 });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) =>
      reject(
        new EdgewiseError("io", `the sandbox can't listen on port ${port}: ${cause.message}`, {
          remedy: "Give another port, or none to get a free one.",
          cause,
        }),
      ),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  const actual = typeof address === "object" && address !== null ? address.port : port;
  return { server, baseUrl: `http://127.0.0.1:${actual}` };
}
