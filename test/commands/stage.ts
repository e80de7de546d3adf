import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { run } from "../../src/commands/run.ts";
import { type Json, type JsonObject, isObject } from "../../src/core/json.ts";
import type { ListedKind } from "../../src/kinds/names.ts";
import { parseFault } from "../../src/sandbox/fault.ts";
import type { Sandbox, SandboxOptions } from "../../src/sandbox/sandbox-options.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { listPaths } from "../support/lists.ts";
import { type MemoryIo, type MemoryIoOptions, memoryIo } from "./memory-io.ts";

export interface Ran {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/** A directory with a configuration, a sandbox that it speaks to, and commands run in this process over real HTTP. */
export interface Stage {
  readonly dir: string;
  readonly sandbox: Sandbox;
  readonly env: { [name: string]: string };
  write(path: string, text: string): Promise<void>;
  read(path: string): Promise<string>;
  run(...args: readonly string[]): Promise<Ran>;
  runWith(options: MemoryIoOptions, ...args: readonly string[]): { readonly io: MemoryIo; readonly ran: Promise<Ran> };
  behind(method: string, path: string, body?: Json): { readonly [member: string]: unknown };
  id(kind: ListedKind, having?: JsonObject): string;
  writes(): number;
}

const lists = listPaths.map((path) => `GET ${path}`);

export function beyondLists({ sandbox }: Pick<Stage, "sandbox">): readonly string[] {
  return sandbox
    .requests()
    .log.map(({ method, path }) => `${method} ${path}`)
    .filter((request) => !lists.includes(request));
}

export async function stage(
  options: {
    readonly faults?: readonly string[];
    readonly latencyMs?: number;
    readonly pageSize?: number;
    readonly model?: SandboxOptions["model"];
    readonly manifests?: string;
    readonly lists?: { readonly [kind: string]: readonly JsonObject[] };
  } = {},
): Promise<Stage> {
  const dir = await mkdtemp(join(tmpdir(), "edgewise-test-"));
  const dataFile = join(dir, ".world.json");
  if (options.lists !== undefined) {
    await writeFile(dataFile, JSON.stringify({ format: "edgewise.sandbox/v1", lists: options.lists }));
  }
  const sandbox = await startSandbox({
    ...(options.lists === undefined ? {} : { dataFile }),
    apiKey: "key-of-the-stage",
    faults: (options.faults ?? []).map(parseFault),
    ...(options.latencyMs === undefined ? {} : { latencyMs: options.latencyMs }),
    ...(options.pageSize === undefined ? {} : { pageSize: options.pageSize }),
    ...(options.model === undefined ? {} : { model: options.model }),
  });
  onTestFinished(async () => {
    await sandbox.close();
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  });
  const env: { [name: string]: string } = {
    PATH: process.env["PATH"] ?? "",
    EDGEWISE_API_KEY: sandbox.apiKey,
    EDGEWISE_BASE_URL: sandbox.baseUrl,
  };
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  };
  await write("edgewise.yaml", "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n");
  if (options.manifests !== undefined) await write("edge/all.yaml", options.manifests);
  const runWith: Stage["runWith"] = (ioOptions, ...args) => {
    const io = memoryIo({ cwd: dir, env, ...ioOptions });
    const ran = run(args, io).then((exit) => ({ exit, out: io.out(), err: io.err() }));
    return { io, ran };
  };
  return {
    dir,
    sandbox,
    env,
    write,
    read: (path) => readFile(join(dir, path), "utf8"),
    run: (...args) => runWith({}, ...args).ran,
    runWith,
    behind: (method, path, body) => {
      const { status, body: answer } = sandbox.direct({ method, path, ...(body === undefined ? {} : { body }) });
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
      return isObject(answer) ? answer : {};
    },
    id: (kind, having = {}) => {
      const found = sandbox
        .world()
        .lists[kind].find((wire) => Object.entries(having).every(([member, value]) => wire[member] === value));
      if (typeof found?.["id"] !== "string") throw new Error(`no ${kind} has ${JSON.stringify(having)}`);
      return found["id"];
    },
    writes: () => sandbox.requests().log.filter(({ method }) => method !== "GET").length,
  };
}

export function backend(name: string, spec = "status_code: 503", metadata = ""): string {
  return `apiVersion: edgewise/v1
kind: HTTPResponseBackend
metadata: {name: ${name}${metadata}}
spec: {${spec}}
---
`;
}

export function edge(name: string, hostport: string, spec = "", metadata = ""): string {
  return `apiVersion: edgewise/v1
kind: TLSEdge
metadata: {name: ${name}${metadata}}
spec: {hostports: ["${hostport}"]${spec}}
---
`;
}

export function address(name: string, lifecycle = ""): string {
  return `apiVersion: edgewise/v1
kind: ReservedAddress
metadata: {name: ${name}}
${lifecycle}
spec: {description: "${name}"}
---
`;
}

export async function applied(manifests: string, options: Parameters<typeof stage>[0] = {}): Promise<Stage> {
  const on = await stage({ ...options, manifests });
  const { err, exit } = await on.run("apply", "-y");
  expect(exit, err).toBe(0);
  return on;
}
