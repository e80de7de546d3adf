import { describe, expect, it, onTestFinished } from "vitest";
import { parseFault } from "../../../src/sandbox/fault.ts";
import type { SandboxOptions, Sandbox } from "../../../src/sandbox/sandbox-options.ts";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { run } from "../../../src/commands/run.ts";
import { type Json, type JsonObject, isObject } from "../../../src/core/json.ts";
import type { ListedKind } from "../../../src/kinds/names.ts";
import type { Plan } from "../../../src/plan/plan-format.ts";
import { startSandbox } from "../../../src/sandbox/start-sandbox.ts";
import type { Ended } from "../../support/cli.ts";
import { memoryIo } from "../../commands/memory-io.ts";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";

interface Parts {
  readonly metadata?: string;
  readonly lifecycle?: string;
}

function document(kind: string, name: string, spec: string, { metadata, lifecycle }: Parts = {}): string {
  return [
    "---",
    "apiVersion: edgewise/v1",
    `kind: ${kind}`,
    `metadata: {name: ${name}${metadata === undefined ? "" : `, ${metadata}`}}`,
    ...(lifecycle === undefined ? [] : [`lifecycle: {${lifecycle}}`]),
    `spec: {${spec}}`,
    "",
  ].join("\n");
}

function edge(name: string, hosts: readonly string[], spec = "", parts: Parts = {}): string {
  const hostports = hosts.map((host) => (host.startsWith("{") ? host : `"${host}.example.com:443"`)).join(", ");
  return document("TLSEdge", name, `hostports: [${hostports}]${spec === "" ? "" : `, ${spec}`}`, parts);
}

function backend(name: string, spec = "status_code: 503", parts: Parts = {}): string {
  return document("HTTPResponseBackend", name, spec, parts);
}

function address(name: string, spec = "", parts: Parts = {}): string {
  return document("ReservedAddress", name, spec, parts);
}

function restriction(name: string, type: string, spec = "", parts: Parts = {}): string {
  const shared = `type: ${type}, ip_policies: [{id: ipp_office}]`;
  return document("IPRestriction", name, `${shared}, ${spec === "" ? "enforced: true" : spec}`, parts);
}

function httpsEdge(name: string, spec: string): string {
  return document("HTTPSEdge", name, spec, { metadata: "id: edghts_web" });
}

// oxlint-disable vitest/no-standalone-expect -- a chapter is called by tests alone, and expects on their behalf.
interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly body: Json;
  readonly status: number;
}

interface Recorder {
  readonly baseUrl: string;
  take(): readonly Recorded[];
  close(): Promise<void>;
}

async function startRecorder(target: string): Promise<Recorder> {
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

interface Told {
  readonly plan: Plan;
  readonly writes: readonly string[];
  readonly bodies: { readonly [write: string]: Json };
}

class Tour {
  private constructor(
    readonly dir: string,
    readonly sandbox: Sandbox,
    readonly recorder: Recorder,
  ) {}

  static async begin(options: SandboxOptions = {}): Promise<Tour> {
    const dir = await mkdtemp(join(tmpdir(), "edgewise-tour-"));
    const sandbox = await startSandbox({ apiKey: "key-of-the-tour", ...options });
    return new Tour(dir, sandbox, await startRecorder(sandbox.baseUrl));
  }

  async end(): Promise<void> {
    await this.recorder.close();
    await this.sandbox.close();
    await rm(this.dir, { recursive: true, force: true });
  }

  /**
   * A chapter: this becomes the whole desired state. The plan must have changes and write nothing; the apply must do
   * it; a plan at rest must find nothing with lists alone, and a second apply must write nothing.
   */
  async chapter(manifests: string, ...flags: readonly string[]): Promise<Told> {
    await this.desire(manifests);
    const planned = await this.inMemory("plan", "--detailed-exitcode", "-o", "json", ...flags);
    expect(planned.exit, planned.err + planned.out).toBe(2);
    expect(onlyReads(this.recorder.take())).toEqual([]);
    const applied = await this.inMemory("apply", "-y", "-o", "json", ...flags);
    expect(applied.exit, applied.err + applied.out).toBe(0);
    expect(JSON.parse(applied.out)).toMatchObject({ outcome: "applied", verified: true });
    const said = this.recorder.take().filter(({ method }) => method !== "GET");
    await this.atRest(...flags);
    return {
      plan: JSON.parse(planned.out) as Plan,
      writes: said.map(({ method, path }) => `${method} ${path}`),
      bodies: Object.fromEntries(said.map(({ method, path, body }) => [`${method} ${path}`, body])),
    };
  }

  async atRest(...flags: readonly string[]): Promise<void> {
    const planned = await this.inMemory("plan", "--detailed-exitcode", ...flags);
    expect(planned.exit, planned.out).toBe(0);
    expect(onlyReads(this.recorder.take())).toEqual([]);
    const applied = await this.inMemory("apply", "-y", "-o", "json", ...flags);
    expect(applied.exit, applied.err).toBe(0);
    expect(JSON.parse(applied.out)).toMatchObject({ outcome: "nothing" });
    expect(onlyReads(this.recorder.take())).toEqual([]);
  }

  async desire(manifests: string): Promise<void> {
    await this.write("edge/all.yaml", manifests);
  }

  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.dir, path)), { recursive: true });
    await writeFile(join(this.dir, path), text);
  }

  async inMemory(...args: readonly string[]): Promise<Ended> {
    const io = memoryIo({ cwd: this.dir, env: this.#env });
    const exit = await run(args, io);
    return { exit, out: io.out(), err: io.err() };
  }

  byHand(method: string, path: string, body?: Json): JsonObject {
    const { status, body: answer } = this.sandbox.direct({ method, path, ...(body === undefined ? {} : { body }) });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
    return isObject(answer) ? answer : {};
  }

  list(kind: ListedKind): readonly JsonObject[] {
    return this.sandbox.world().lists[kind];
  }

  get #env(): { readonly [name: string]: string } {
    return {
      EDGEWISE_API_KEY: this.sandbox.apiKey,
      EDGEWISE_BASE_URL: this.recorder.baseUrl,
      HOOK_SECRET: "s3cr3t-of-the-hook",
    };
  }
}

function onlyReads(requests: readonly Recorded[]): readonly string[] {
  return requests.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);
}

/*
 * The specification leaves many points open, and services differ. The same short story must work with each variant,
 * because the planner must not rely on any of them.
 */
async function begin(options: SandboxOptions, more = ""): Promise<Tour> {
  const tour = await Tour.begin(options);
  onTestFinished(() => tour.end());
  await tour.write("edgewise.yaml", `apiVersion: edgewise/v1\nkind: Config\nstack: tour\nmanifests: [edge/]\n${more}`);
  return tour;
}

const services: readonly (readonly [string, SandboxOptions])[] = [
  ["that answers GET of an unset module with null", { model: { unsetModule: "null" } }],
  ["that leaves out unset texts", { model: { unsetText: "omitted" } }],
  ["that shows unset modules as {}", { model: { unsetModule: "empty" } }],
  ["that answers DELETE of an unset module with 404", { model: { deleteUnsetModule: "404" } }],
  ["that lets backends go although something refers to them", { model: { deleteReferenced: "dangle" } }],
  ["that defaults to another minimum version", { model: { defaultMinVersion: "1.3" } }],
  ["with one resource on a page", { pageSize: 1 }],
  ["with module endpoints that nobody told us of", { moduleEndpoints: ["backend", "ip_restriction"] }],
  [
    "that limits and fails now and then",
    {
      faults: [
        "status=429,retry-after=0,skip=6,count=2",
        "status=503,method=PATCH,count=1",
        "reset=after,method=DELETE,count=1",
      ].map(parseFault),
    },
  ],
];

describe("a service", () => {
  it.each(services)("%s", async (_what, options) => {
    const tour = await begin(options);
    const common = restriction("agents", "agent") + address("tcp") + backend("down");
    await tour.chapter(
      common +
        edge("a", ["one", "{address: tcp}"], "backend: {backend: {name: down}}, tls_termination: {}") +
        edge("b", ["two"], "mutual_tls: {certificate_authorities: [{id: ca_a}]}, description: words") +
        httpsEdge("web", "tls_termination: {}"),
    );
    await tour.chapter(
      common +
        edge("a", ["two", "{address: tcp}"], "tls_termination: {terminate_at: upstream}") +
        edge("b", ["one"], "traffic_policy: {value: {on_tcp_connect: []}}") +
        httpsEdge("web", "tls_termination: null"),
    );
    await tour.chapter(
      restriction("agents", "endpoints") +
        address("tcp") +
        backend("down") +
        edge("a", ["two", "{address: tcp}"]) +
        edge("b", ["one"]),
    );
    expect(tour.list("IPRestriction")).toHaveLength(1);
  });
});
