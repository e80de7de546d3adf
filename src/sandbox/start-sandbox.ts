import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { EdgewiseError } from "../core/errors.js";
import { worldFrom } from "../model/world-seed.js";
import { versionHeaderProblem } from "../core/version-header.js";
import { DataFile, loadDataFile, rebaseUris } from "./data-file.js";
import { FaultInjector } from "./fault.js";
import { type HandlerContext, handle } from "./handler.js";
import { sandboxEnv } from "./sandbox-environment.js";
import type { RequestRecord, Sandbox, SandboxOptions } from "./sandbox-options.js";
import { Service } from "./service.js";

const keptRequests = 10_000;

/** Serves the whole API on 127.0.0.1. @throws EdgewiseError `io`; `usage` for a version header */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const {
    dataFile,
    lenient = false,
    moduleEndpoints = [],
    pageSize = 100,
    versionHeader = "Service-Version",
  } = options;
  const problem = versionHeaderProblem(versionHeader);
  if (problem !== null)
    throw new EdgewiseError("usage", `the version header ${problem}`, { remedy: "Give a name like Service-Version." });
  const place = options.workplace ?? { cwd: dirname(dataFile ?? "/") };
  const data = dataFile === undefined ? null : await DataFile.open(dataFile, place);
  try {
    const saved = dataFile === undefined ? null : await loadDataFile(dataFile);
    const { baseUrl, server } = await listen(options.port ?? 0);
    const world = worldFrom(saved === null ? {} : rebaseUris(saved, baseUrl), {
      deleteReferenced: "refuse",
      knownValuesOnly: true,
      ...options.model,
      baseUrl,
      pageSize,
      lenient,
      moduleEndpoints,
    });
    const injector = new FaultInjector(options.faults ?? []);
    const env = sandboxEnv(world, options.now ?? Date.now);
    const service = new Service(world, env, injector.mostLag, () => data?.changed());
    const apiKey = options.apiKey ?? `sandbox_${randomBytes(18).toString("base64url")}`;
    const log: RequestRecord[] = [];
    let total = 0;
    const closing = new AbortController();
    setMaxListeners(0, closing.signal);
    const save = async (): Promise<void> => data?.save(() => service.stored());
    const context: HandlerContext = {
      service,
      injector,
      apiKey,
      versionHeader,
      lenient,
      latencyMs: options.latencyMs ?? 0,
      closing: closing.signal,
      saved: () =>
        save().catch((error: unknown) => {
          options.onDataFileError?.(error);
          throw error;
        }),
      record: (record) => {
        total += 1;
        if (log.push(record) > keptRequests) log.shift();
        options.onRequest?.(record);
      },
    };
    server.on("request", (incoming, outgoing) => void handle(incoming, outgoing, context));
    const close = async (): Promise<void> => {
      closing.abort();
      const ended = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await ended;
      try {
        await save();
      } finally {
        await data?.release();
      }
    };
    let closed: Promise<void> | null = null;
    return {
      baseUrl,
      apiKey,
      versionHeader,
      world: () => service.snapshot(),
      requests: () => ({ total, log: [...log] }),
      direct: (request) => service.answer(request),
      close: () => (closed ??= close()),
    };
  } catch (error) {
    await data?.release();
    throw error;
  }
}

/** The caller must set a handler before it awaits anything. @throws EdgewiseError `io` */
async function listen(port: number): Promise<Readonly<{ server: Server; baseUrl: string }>> {
  // Longer than clients keep idle connections: a request could arrive on one that is being closed.
  const server = createServer({ keepAliveTimeout: 75_000 });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const why = cause.code === "EADDRINUSE" ? "another program listens there" : cause.message;
      const remedy = "Give another --port, or none to get a free one.";
      reject(new EdgewiseError("io", `the sandbox can't listen on port ${port}: ${why}`, { remedy, cause }));
    });
    server.listen(port, "127.0.0.1", resolve);
  });
  return { server, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
