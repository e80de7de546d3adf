import { type IncomingMessage, type ServerResponse, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A server that passes everything on and changes headers of the responses. Returns its base URL. */
export async function relay(
  baseUrl: string,
  headers: { readonly [name: string]: string },
  before: () => Promise<void> = async () => undefined,
): Promise<string> {
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { headers: sent, method, url = "/" } = incoming;
    const passed = request(new URL(url, baseUrl), { headers: sent, method }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...headers });
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  };
  const server = createServer((incoming, outgoing) => void before().then(() => pass(incoming, outgoing)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
