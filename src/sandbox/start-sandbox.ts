import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { type Server, createServer } from "node:http";
import { dirname } from "node:path";
import { EdgewiseError } from "../errors.js";
import { checkWritable } from "../files/write-file.js";
import { worldFrom } from "../model/world-seed.js";
import { versionHeaderProblem } from "../version-header.js";
import { loadDataFile, rebaseUris, saveDataFile } from "./data-file.js";
import { DebouncedWriter } from "./debounced-writer.js";
import { FaultInjector } from "./fault-injector.js";
import { handle } from "./handler.js";
import { randomFrom, sandboxEnv } from "./sandbox-environment.js";
import { RequestLog, type Sandbox, type SandboxOptions } from "./sandbox-options.js";
import { Service } from "./service.js";

/**
 * Starts a server of the whole API on 127.0.0.1: the model behind HTTP (docs/sandbox.md).
 * @throws EdgewiseError `io` when the port is taken or the data file can't be used; `usage` for an option that makes
 *   no sense
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { dataFile, versionHeader = "Service-Version", lenient = false, pageSize = 100 } = options;
  checkOptions(versionHeader, pageSize);
  const place = options.workplace ?? { cwd: dirname(dataFile ?? "/") };
  if (dataFile !== undefined) await checkWritable(dataFile, place);
  const state = dataFile === undefined ? null : await loadDataFile(dataFile);
  const { server, baseUrl } = await listen(options.port ?? 0);
  const world = worldFrom(state === null ? {} : rebaseUris(state, state.baseUrl, baseUrl), {
    deleteReferenced: "refuse",
    knownValuesOnly: true,
    ...options.model,
    baseUrl,
    pageSize,
    lenient,
    moduleEndpoints: options.moduleEndpoints ?? [],
  });
  const random = randomFrom(options.seed);
  const apiKey = options.apiKey ?? `sandbox_${randomBytes(18).toString("base64url")}`;
  // Dice of their own: ids must not depend on which requests a fault was rolled for.
  const diceSeed = options.seed === undefined ? undefined : `${options.seed}/faults`;
  const injector = new FaultInjector(options.faults ?? [], randomFrom(diceSeed));
  const keeper =
    dataFile === undefined
      ? null
      : new DebouncedWriter(
          () => saveDataFile(dataFile, place, baseUrl, service.snapshot()),
          options.onDataFileError ?? (() => {}),
        );
  const env = sandboxEnv(world, random, options.now ?? Date.now);
  const service = new Service(world, env, injector.lags, () => keeper?.changed());
  const log = new RequestLog();
  const closing = new AbortController();
  // Every request that waits listens to it.
  setMaxListeners(0, closing.signal);
  const how = {
    service,
    injector,
    rules: { apiKey, versionHeader, lenient },
    latencyMs: options.latencyMs ?? 0,
    maxBodyBytes: options.maxBodyBytes ?? 1024 * 1024,
    closing: closing.signal,
    answered: options.onAnswer ?? ((): void => {}),
    record: (record: Parameters<RequestLog["add"]>[0]) => {
      log.add(record);
      options.onRequest?.(record);
    },
  };
  server.on("request", (incoming, outgoing) => void handle(incoming, outgoing, how));
  let closed: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    closing.abort();
    const ended = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await ended;
    await keeper?.close();
  };
  return {
    baseUrl,
    apiKey,
    versionHeader,
    world: () => service.snapshot(),
    requests: () => log.seen(injector.struck),
    direct: (request) => service.answer(request),
    close: () => (closed ??= close()),
  };
}

function checkOptions(versionHeader: string, pageSize: number): void {
  const problem = versionHeaderProblem(versionHeader);
  if (problem !== null) {
    throw new EdgewiseError("usage", `the version header ${problem}`, {
      remedy: "Give a name like Service-Version.",
    });
  }
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 100) {
    throw new EdgewiseError("usage", `pages of ${pageSize} resources are not possible`, {
      remedy: "Give a page size from 1 to 100.",
    });
  }
}

/**
 * Opens a server on 127.0.0.1 that has no handler yet; the caller sets one before it waits for anything.
 * @throws EdgewiseError `io` when the port can't be had
 */
async function listen(port: number): Promise<{ readonly server: Server; readonly baseUrl: string }> {
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
