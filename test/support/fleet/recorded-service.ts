import { Agent, type IncomingMessage, type ServerResponse, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { Sandbox, SandboxOptions } from "../../../src/sandbox/sandbox-options.ts";
import { startSandbox } from "../../../src/sandbox/start-sandbox.ts";

export interface RecordedWrite {
  readonly account: string;
  readonly from: string;
  readonly method: string;
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** An account of the service: a sandbox, and before it who writes down which process sends what. */
export interface RecordedService {
  readonly account: string;
  readonly baseUrl: string;
  readonly sandbox: Sandbox;
  close(): Promise<void>;
}

/** @param onWrite called when a write has reached the service, which begins with it when that is done */
export async function openRecordedService(
  account: string,
  { onWrite, ...options }: RecordedServiceOptions,
): Promise<RecordedService> {
  const sandbox = await startSandbox(options);
  const agent = new Agent({ keepAlive: true });
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { headers, method = "", url = "/" } = incoming;
    const from = incoming.socket.remoteAddress ?? "";
    if (method !== "GET") await onWrite({ account, from, method, path: url, at: Date.now() });
    const passed = request(new URL(url, sandbox.baseUrl), { headers, method, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("error", () => outgoing.destroy()).pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    incoming.on("error", () => undefined).pipe(passed);
  };
  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    account,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sandbox,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      agent.destroy();
      await sandbox.close();
    },
  };
}

export interface RecordedServiceOptions extends SandboxOptions {
  readonly onWrite: (write: RecordedWrite) => void | Promise<void>;
}

/**
 * Preloaded into a process: what it sends comes from an address of its own, and its clock is wrong by so many
 * milliseconds.
 */
export function preloaded(address: string, skewMs: number): string {
  const script = `import { Socket } from "node:net";
const { connect } = Socket.prototype;
Socket.prototype.connect = function (...args) {
  const options = Array.isArray(args[0]) ? args[0][0] : args[0];
  if (options?.host === "127.0.0.1") options.localAddress = "${address}";
  return connect.apply(this, args);
};
const Wall = Date;
if (${skewMs} !== 0) globalThis.Date = class extends Wall {
  constructor(...args) { super(...(args.length === 0 ? [Wall.now() + ${skewMs}] : args)); }
  static now() { return Wall.now() + ${skewMs}; }
};`;
  return `--import=data:text/javascript,${encodeURIComponent(script)}`;
}
