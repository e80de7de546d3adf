import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json } from "../../../src/core/json.ts";

export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly body: Json;
  readonly status: number;
}

export interface Recorder {
  readonly baseUrl: string;
  take(): readonly Recorded[];
  close(): Promise<void>;
}

export async function startRecorder(target: string): Promise<Recorder> {
  let log: Recorded[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = "GET", url = "/", headers } = incoming;
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const onward = httpRequest(target + url, { method, headers }, (answer) => {
        const status = answer.statusCode ?? 0;
        log.push({ method, path: url, body: text === "" ? null : (JSON.parse(text) as Json), status });
        outgoing.writeHead(status, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on("error", () => outgoing.destroy());
      onward.end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    take: () => {
      const taken = log;
      log = [];
      return taken;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
