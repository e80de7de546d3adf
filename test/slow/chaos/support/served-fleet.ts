import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseFault } from "../../../../src/sandbox/fault.ts";
import type { Sandbox, SandboxOptions } from "../../../../src/sandbox/sandbox-options.ts";
import { startSandbox } from "../../../../src/sandbox/start-sandbox.ts";
import type { Dice } from "./dice.ts";

/** What a stack describes: the status of each of its backends, and the hostports of each of its edges, by name. */
export interface ServedStack {
  readonly backends: Map<string, number>;
  readonly edges: Map<string, string>;
}

/** A write that the service carried out. */
export interface ServedWrite {
  readonly method: string;
  readonly path: string;
  readonly at: number;
}

/** A directory with a repository, a fleet file that follows it, and a service, for processes of `edgewise serve`. */
export class ServedFleet {
  readonly writes: ServedWrite[] = [];
  readonly began = Date.now();
  readonly stacks: ReadonlyMap<string, ServedStack>;
  requests = 0;
  readonly #names: Dice;

  private constructor(
    readonly directory: string,
    readonly sandbox: Sandbox,
    dice: Dice,
  ) {
    this.#names = dice.fork("desired");
    const names = ["a", "b", "c"].slice(0, dice.between(1, 3));
    this.stacks = new Map(names.map((name) => [name, { backends: new Map(), edges: new Map() }]));
  }

  static async open(dice: Dice, options: SandboxOptions = {}): Promise<ServedFleet> {
    const directory = await mkdtemp(join(tmpdir(), "edgewise-serve-"));
    let fleet: ServedFleet | null = null;
    const sandbox = await startSandbox({
      latencyMs: dice.pick([0, 2, 10, 30]),
      // Carried out long after whoever asked for it may be gone.
      faults: dice.chance(0.5) ? [parseFault("delay=1500ms,method=POST")] : [],
      pageSize: dice.pick([3, 100]),
      ...options,
      onAnswer: ({ method, path }, { status }) => {
        if (fleet !== null) fleet.requests += 1;
        if (method !== "GET" && status < 300) fleet?.writes.push({ method, path, at: Date.now() });
      },
    });
    fleet = new ServedFleet(directory, sandbox, dice);
    await fleet.#prepare();
    return fleet;
  }

  get state(): string {
    return join(this.directory, "state");
  }

  git(...args: readonly string[]): string {
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "gc.auto=0"];
    return execFileSync("git", ["-C", join(this.directory, "repo"), ...who, ...args], { encoding: "utf8" }).trim();
  }

  async #prepare(): Promise<void> {
    await mkdir(join(this.directory, "repo"));
    this.git("init", "-q", "-b", "main");
    await writeFile(join(this.directory, "key"), this.sandbox.apiKey, { mode: 0o600 });
    const stacks = Object.fromEntries(
      [...this.stacks.keys()].map((name) => [
        name,
        { source: "edge", config: `${name}/edgewise.yaml`, account: "main" },
      ]),
    );
    const fleet = {
      apiVersion: "edgewise/v1",
      kind: "Fleet",
      sources: { edge: { git: "./repo", ref: "main", poll: "15s" } },
      accounts: { main: { baseUrl: this.sandbox.baseUrl, key: { file: "key" } } },
      stacks,
      defaults: {
        interval: "30s",
        apply: { commit: "security", drift: "security" },
        brake: { stacks: "100%", deletesPerDay: 1000, writers: 1000 },
      },
      http: { listen: "127.0.0.1:0" },
    };
    await writeFile(join(this.directory, "fleet.yaml"), JSON.stringify(fleet));
    await this.push();
  }

  /** Commits another wish for some of the stacks. */
  async push(): Promise<void> {
    for (const [name, stack] of this.stacks) {
      if (this.#names.chance(0.8)) this.#wish(name, stack);
      await this.#write(name, stack);
    }
    this.git("add", "-A");
    this.git("commit", "-q", "--allow-empty", "-m", "change");
  }

  #wish(name: string, { backends, edges }: ServedStack): void {
    const dice = this.#names;
    for (let index = dice.between(1, 6); index > 0; index -= 1)
      backends.set(`${name}-backend-${index}`, dice.between(400, 599));
    for (let index = dice.between(0, 3); index > 0; index -= 1)
      if (!edges.has(`${name}-edge-${index}`)) edges.set(`${name}-edge-${index}`, `${name}${index}.example.com`);
    const [first] = edges.keys();
    const [, second] = edges.keys();
    // Two edges change places.
    if (first !== undefined && second !== undefined && dice.chance(0.3)) {
      const host = edges.get(first) ?? "";
      edges.set(first, edges.get(second) ?? "");
      edges.set(second, host);
    }
    const [gone] = backends.keys();
    if (gone !== undefined && backends.size > 1 && dice.chance(0.3)) backends.delete(gone);
  }

  async #write(name: string, { backends, edges }: ServedStack): Promise<void> {
    const folder = join(this.directory, "repo", name);
    await mkdir(folder, { recursive: true });
    const config = { apiVersion: "edgewise/v1", kind: "Config", stack: name, manifests: ["all.yaml"] };
    await writeFile(join(folder, "edgewise.yaml"), JSON.stringify(config));
    const head = { apiVersion: "edgewise/v1" };
    const documents = [
      ...[...backends].map(([backend, status]) => ({
        ...head,
        kind: "HTTPResponseBackend",
        metadata: { name: backend },
        spec: { status_code: status },
      })),
      ...[...edges].map(([edge, host]) => ({
        ...head,
        kind: "TLSEdge",
        metadata: { name: edge },
        spec: { hostports: [`${host}:443`] },
      })),
    ];
    await writeFile(join(folder, "all.yaml"), documents.map((one) => JSON.stringify(one)).join("\n---\n"));
  }

  /** Somebody edits a resource by hand. */
  edit(dice: Dice): void {
    const backends = this.sandbox.world().lists.HTTPResponseBackend;
    if (backends.length === 0) return;
    const { id } = dice.pick(backends);
    const body = { status_code: dice.between(400, 599) };
    this.sandbox.direct({ method: "PATCH", path: `/backends/http_response/${String(id)}`, body });
  }

  /** What is live and should not be, or the other way round, as sentences. */
  wrong(): readonly string[] {
    const { HTTPResponseBackend: backends, TLSEdge: edges } = this.sandbox.world().lists;
    const live = [
      ...backends.map(({ metadata, status_code: status }) => `${nameIn(metadata)} ${String(status)}`),
      ...edges.map(({ hostports, metadata }) => `${nameIn(metadata)} ${JSON.stringify(hostports)}`),
    ].toSorted();
    const wanted = [...this.stacks.values()]
      .flatMap((stack) => [
        ...[...stack.backends].map(([name, status]) => `${name} ${status}`),
        ...[...stack.edges].map(([name, host]) => `${name} ["${host}:443"]`),
      ])
      .toSorted();
    return live.join("\n") === wanted.join("\n")
      ? []
      : [`live is ${live.join(", ")}, and should be ${wanted.join(", ")}`];
  }

  /** What is wrong with the state directory when no process holds it, as sentences. */
  async wrongState(): Promise<readonly string[]> {
    const wrong: string[] = [];
    if (!existsSync(this.state)) return ["there is no state directory"];
    for (const path of await readdir(this.state, { recursive: true })) {
      if (path.startsWith("sources/")) continue;
      if (/^lock$|\.tmp$/u.test(path)) wrong.push(`${path} was left behind`);
      const isText = /\.(?:json|ndjson)$/u.test(path);
      if (!isText) continue;
      const text = await readFile(join(this.state, path), "utf8");
      if (text.includes(this.sandbox.apiKey)) wrong.push(`${path} holds the key`);
      const documents = path.endsWith(".ndjson") ? text.split("\n").slice(0, -1) : [text];
      for (const document of documents) if (!isJson(document)) wrong.push(`${path} can't be read: ${document}`);
    }
    return wrong;
  }

  async close(): Promise<void> {
    await this.sandbox.close();
    await rm(this.directory, { recursive: true, force: true });
  }
}

function nameIn(metadata: unknown): string {
  return /"name":"([^"]*)"/u.exec(String(metadata))?.[1] ?? String(metadata);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
