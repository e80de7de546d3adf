import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { type Server, createServer } from "node:http";
import { dirname } from "node:path";
import { EdgewiseError } from "../core/errors.js";
import { checkWritable } from "../files/write-file.js";
import type { Workplace } from "../files/write-file.js";
import { forListedKinds } from "../kinds/names.js";
import { type ModelOptions, defaultModelOptions } from "../model/model-options.js";
import { withStoredTexts } from "../model/resource-model.js";
import { worldFrom } from "../model/world-seed.js";
import { type World, emptyWorld } from "../model/world.js";
import { versionHeaderProblem } from "../core/version-header.js";
import {
  type DataFileLock,
  type SavedWorld,
  loadDataFile,
  lockDataFile,
  rebaseUris,
  saveDataFile,
} from "./data-file.js";
import { FaultInjector } from "./fault-injector.js";
import { GroupedWriter } from "./grouped-writer.js";
import { type HandlerContext, handle } from "./handler.js";
import { randomFrom, sandboxEnv } from "./sandbox-environment.js";
import { RequestLog, type Sandbox, type SandboxOptions } from "./sandbox-options.js";
import { Service } from "./service.js";

const defaultVersionHeader = "Service-Version";

/**
 * Serves the whole API on 127.0.0.1: the model behind HTTP (docs/sandbox.md).
 * @throws EdgewiseError `io` when the port is taken or the data file can't be used; `usage` for an invalid option
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { dataFile, versionHeader = defaultVersionHeader, pageSize = 100 } = options;
  checkOptions(versionHeader, pageSize);
  const place = options.workplace ?? { cwd: dirname(dataFile ?? "/") };
  const held = await openWorld(dataFile, place, () => listen(options.port ?? 0));
  const { saved, server, baseUrl } = held;
  const world = worldOf(saved, options, { baseUrl, pageSize });
  const env = sandboxEnv(world, randomFrom(options.seed), options.now ?? Date.now);
  const injector = faultInjector(options);
  const writer = new GroupedWriter(
    async () => {
      if (dataFile !== undefined) await saveDataFile(dataFile, place, { baseUrl, ...service.stored() });
    },
    options.onDataFileError ?? (() => {}),
  );
  const service = new Service(world, env, injector.lags, () => {
    if (dataFile !== undefined) writer.changed();
  });

  const apiKey = options.apiKey ?? `sandbox_${randomBytes(18).toString("base64url")}`;
  const log = new RequestLog();
  const closing = new AbortController();
  // Every waiting request listens to it.
  setMaxListeners(0, closing.signal);
  const context: HandlerContext = {
    service,
    injector,
    rules: { apiKey, versionHeader, lenient: options.lenient ?? false },
    latencyMs: options.latencyMs ?? 0,
    maxBodyBytes: options.maxBodyBytes ?? 1024 * 1024,
    closing: closing.signal,
    saved: () => writer.saved(),
    confirmed: () => writer.confirmed(),
    answered: options.onAnswer ?? (() => {}),
    record: (record) => {
      log.add(record);
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
      await writer.close();
    } finally {
      await held.lock.release();
    }
  };
  let closed: Promise<void> | null = null;
  return {
    baseUrl,
    apiKey,
    versionHeader,
    world: () => service.snapshot(),
    requests: () => log.seen(injector.counts),
    direct: (request) => service.answer(request),
    close: () => (closed ??= close()),
  };
}

/**
 * What a sandbox begins with: the data file, which no other sandbox may use from now on, and a server that has a port.
 * @throws EdgewiseError `io` when one of them can't be had; nothing is held then
 */
async function openWorld(
  dataFile: string | undefined,
  place: Workplace,
  open: () => Promise<{ readonly server: Server; readonly baseUrl: string }>,
): Promise<{
  readonly lock: DataFileLock;
  readonly saved: SavedWorld | null;
  readonly server: Server;
  readonly baseUrl: string;
}> {
  if (dataFile === undefined) return { lock: { release: async () => {} }, saved: null, ...(await open()) };
  checkWritable(dataFile, place);
  const lock = await lockDataFile(dataFile, place);
  try {
    const saved = await loadDataFile(dataFile);
    return { lock, saved, ...(await open()) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function worldOf(
  saved: SavedWorld | null,
  { lenient = false, model, moduleEndpoints = [] }: SandboxOptions,
  { baseUrl, pageSize }: { readonly baseUrl: string; readonly pageSize: number },
): World {
  const modelOptions: ModelOptions = {
    ...defaultModelOptions,
    deleteReferenced: "refuse",
    knownValuesOnly: true,
    ...model,
    baseUrl,
    pageSize,
    lenient,
    moduleEndpoints,
  };
  if (saved === null) return emptyWorld(modelOptions);
  const { lists = {}, modules = {} } = rebaseUris(saved, saved.baseUrl, baseUrl);
  // The sandbox that wrote the file may have been given another --unset-text.
  const shown = forListedKinds((kind) => (lists[kind] ?? []).map((each) => withStoredTexts(each, modelOptions)));
  return worldFrom({ lists: shown, modules }, modelOptions);
}

function faultInjector({ faults = [], seed }: SandboxOptions): FaultInjector {
  // A random source of its own: ids must not depend on which requests had a fault.
  return new FaultInjector(faults, randomFrom(seed === undefined ? undefined : `${seed}/faults`));
}

function checkOptions(versionHeader: string, pageSize: number): void {
  const problem = versionHeaderProblem(versionHeader);
  if (problem !== null) {
    throw new EdgewiseError("usage", `the version header ${problem}`, {
      remedy: "Give a name like Service-Version.",
    });
  }
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 100) {
    throw new EdgewiseError("usage", `a page size of ${pageSize} is not allowed`, {
      remedy: "Give a page size from 1 to 100.",
    });
  }
}

const listenProblems: { readonly [code: string]: string } = {
  EADDRINUSE: "another program listens there",
  EACCES: "this user may not use this port",
};

/**
 * Opens a server on 127.0.0.1 without a handler; the caller must set one before it awaits anything.
 * @throws EdgewiseError `io` when the port can't be used
 */
async function listen(port: number): Promise<{ readonly server: Server; readonly baseUrl: string }> {
  // Longer than clients keep idle connections: otherwise a request can arrive on a connection that is being closed.
  const server = createServer({ keepAliveTimeout: 75_000 });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) =>
      reject(
        new EdgewiseError(
          "io",
          `the sandbox can't listen on port ${port}: ${listenProblems[cause.code ?? ""] ?? cause.message}`,
          {
            remedy: "Give another --port, or none to get a free one.",
            cause,
          },
        ),
      ),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  const actual = typeof address === "object" && address !== null ? address.port : port;
  return { server, baseUrl: `http://127.0.0.1:${actual}` };
}
