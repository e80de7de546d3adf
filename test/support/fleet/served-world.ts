import { execFileSync, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, type IncomingMessage, type ServerResponse, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Sandbox, SandboxOptions } from "../../../src/sandbox/sandbox-options.ts";
import { startSandbox } from "../../../src/sandbox/start-sandbox.ts";
import { type Receiver, openReceiver, receiverSecret } from "./receiver.ts";
import { FleetProcess } from "./fleet-process.ts";
import { holderChanges, wrongWriters } from "./holders.ts";

export interface WorldOptions {
  /** Of a superuser, with the password that nobody may see; null = one process at a time keeps a state directory. */
  readonly database: string | null;
  readonly accounts?: readonly string[];
  readonly aliases?: { readonly [name: string]: string };
  readonly service?: SandboxOptions;
  readonly poll?: string;
  readonly backends?: number;
  readonly defaults?: object;
  readonly notify?: readonly string[];
}

export const apiKey = "the-key-that-nobody-may-see";

const stacksOf = (account: string): readonly string[] => [`${account}-one`, `${account}-two`];

/**
 * A fleet for several processes of the built program on one database: a bare repository, accounts of the service that
 * write down who writes to them, and a receiver of notifications.
 */
export class ServedWorld {
  readonly writes: RecordedWrite[] = [];
  readonly services = new Map<string, RecordedService>();
  readonly processes: FleetProcess[] = [];
  readonly wanted = new Map<string, readonly number[]>();
  /** Called when a write has reached the service, which begins with it when that is done. */
  onWrite: (write: RecordedWrite) => void | Promise<void> = () => undefined;
  readonly #options: WorldOptions;
  commit = "";

  private constructor(
    readonly directory: string,
    readonly receiver: Receiver,
    options: WorldOptions,
  ) {
    this.#options = options;
  }

  static async open(options: WorldOptions): Promise<ServedWorld> {
    const directory = await mkdtemp(join(tmpdir(), "edgewise-fleet-"));
    const world = new ServedWorld(directory, await openReceiver(), options);
    await world.#prepare();
    return world;
  }

  get database(): string {
    return this.#options.database ?? "";
  }

  get stacks(): readonly string[] {
    return [...this.wanted.keys()];
  }

  async #prepare(): Promise<void> {
    const { accounts = ["a"], aliases = {}, defaults, notify, poll = "2s", service } = this.#options;
    const onWrite = (write: RecordedWrite): void | Promise<void> => {
      this.writes.push(write);
      return this.onWrite(write);
    };
    for (const account of accounts)
      this.services.set(account, await openRecordedService(account, { ...service, apiKey, onWrite }));
    await writeFile(join(this.directory, "hook"), this.receiver.url, { mode: 0o600 });
    for (const account of accounts) await writeFile(join(this.directory, `key-${account}`), apiKey, { mode: 0o600 });
    const names = [...accounts.map((name) => [name, name] as const), ...Object.entries(aliases)];
    const stacks = names.flatMap(([name]) => stacksOf(name).map((stack) => [name, stack] as const));
    const fleet = {
      apiVersion: "edgewise/v1",
      kind: "Fleet",
      sources: { edge: { git: "./edge.git", ref: "main", poll } },
      accounts: Object.fromEntries(
        names.map(([name, account]) => [
          name,
          { baseUrl: this.services.get(account)?.baseUrl, key: { file: `key-${account}` } },
        ]),
      ),
      stacks: Object.fromEntries(
        stacks.map(([account, stack]) => [stack, { source: "edge", config: `${stack}/edgewise.yaml`, account }]),
      ),
      defaults: {
        interval: "3s",
        apply: { commit: "security", drift: "security" },
        brake: { stacks: "100%", deletesPerDay: 1000, writers: 1000 },
        ...defaults,
      },
      http: { listen: "127.0.0.1:0" },
      ...(notify === undefined ? {} : { notify: [{ url: { file: "hook" }, on: notify }] }),
    };
    await writeFile(join(this.directory, "fleet.yaml"), JSON.stringify(fleet));
    this.git(this.directory, "init", "-q", "--bare", "-b", "main", "edge.git");
    this.git(this.directory, "clone", "-q", "edge.git", "clone");
    for (const [, stack] of stacks) this.wanted.set(stack, []);
    await this.push(500);
  }

  git(cwd: string, ...args: readonly string[]): string {
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "gc.auto=0"];
    return execFileSync("git", [...who, ...args], {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  }

  async push(status: number, stacks: readonly string[] = this.stacks): Promise<void> {
    const statuses = Array.from({ length: this.#options.backends ?? 3 }, () => status);
    await this.wish(new Map(stacks.map((stack) => [stack, statuses])));
  }

  async wish(stacks: ReadonlyMap<string, readonly number[]>): Promise<void> {
    const clone = join(this.directory, "clone");
    for (const [stack, statuses] of stacks) {
      this.wanted.set(stack, statuses);
      await mkdir(join(clone, stack), { recursive: true });
      const config = { apiVersion: "edgewise/v1", kind: "Config", stack, manifests: ["all.yaml"] };
      await writeFile(join(clone, stack, "edgewise.yaml"), JSON.stringify(config));
      const documents = statuses.map((code, index) => ({
        apiVersion: "edgewise/v1",
        kind: "HTTPResponseBackend",
        metadata: { name: `${stack}-${index}` },
        spec: { status_code: code },
      }));
      await writeFile(join(clone, stack, "all.yaml"), documents.map((one) => JSON.stringify(one)).join("\n---\n"));
    }
    this.git(clone, "add", "-A");
    this.git(clone, "commit", "-q", "--allow-empty", "-m", "change");
    this.git(clone, "push", "-q", "origin", "HEAD:main");
    this.commit = this.git(clone, "rev-parse", "HEAD");
  }

  edit(account: string, status: number): void {
    const sandbox = this.services.get(account)?.sandbox;
    const [backend] = sandbox?.world().lists.HTTPResponseBackend ?? [];
    const path = `/backends/http_response/${String(backend?.id)}`;
    if (backend !== undefined) sandbox?.direct({ method: "PATCH", path, body: { status_code: status } });
  }

  /** Starts the built program. */
  start({ args = [], env = {}, skewMs = 0 }: StartOptions = {}): FleetProcess {
    const number = this.processes.length + 1;
    const name = `p${number}`;
    const address = `127.0.${1 + (number >> 8)}.${number & 255}`;
    const program = resolve("dist/bin/edgewise.js");
    const database = this.database === "" ? null : new URL(this.database);
    database?.searchParams.set("application_name", name);
    const keeps = database === null ? ["--state", "state"] : [];
    const all = [program, "serve", "fleet.yaml", ...keeps, "--log-format", "json", "-v", ...args];
    const child = spawn(process.execPath, all, {
      cwd: this.directory,
      env: {
        PATH: process.env["PATH"] ?? "",
        ...(database === null ? {} : { EDGEWISE_DATABASE: database.href }),
        NODE_OPTIONS: preloaded(address, skewMs),
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const started = new FleetProcess(child, { name, address });
    this.processes.push(started);
    return started;
  }

  get living(): readonly FleetProcess[] {
    return this.processes.filter(({ over }) => !over);
  }

  processOf(address: string): FleetProcess | null {
    return this.processes.find((one) => one.address === address) ?? null;
  }

  wrongLive(): readonly string[] {
    const live = [...this.services.values()].flatMap(({ sandbox }) =>
      sandbox.world().lists.HTTPResponseBackend.map(({ metadata, status_code: status }) => {
        const name = /"name":"([^"]*)"/u.exec(String(metadata))?.[1] ?? String(metadata);
        return `${name} ${String(status)}`;
      }),
    );
    const wanted = [...this.wanted].flatMap(([stack, statuses]) =>
      statuses.map((status, index) => `${stack}-${index} ${status}`),
    );
    const [is, should] = [live.toSorted().join(", "), wanted.toSorted().join(", ")];
    return is === should ? [] : [`live is ${is}, and should be ${should}`];
  }

  async unsettled(member: FleetProcess): Promise<readonly string[]> {
    const shown = await member.stacks().catch((error: unknown) => String(error));
    if (typeof shown === "string") return [`${member.name} does not answer: ${shown}`];
    return this.stacks.flatMap((name) => {
      const stack = shown.find((one) => one.name === name);
      if (stack?.state === "synced" && stack.commit === this.commit) return [];
      const { commit, message, reason, state } = stack ?? {};
      return [`${member.name} shows ${name}: ${state} ${reason} ${message} at ${commit}, not ${this.commit}`];
    });
  }

  async settle(ms: number): Promise<readonly string[]> {
    const until = Date.now() + ms;
    for (;;) {
      const left = [...this.wrongLive(), ...(await Promise.all(this.living.map((one) => this.unsettled(one)))).flat()];
      if (left.length === 0 || Date.now() > until) return left;
      await pause(250);
    }
  }

  async wrongWriters(): Promise<readonly string[]> {
    const { aliases = {} } = this.#options;
    const changes = (await holderChanges(this.database)).map((change) => ({
      ...change,
      account: aliases[change.account] ?? change.account,
    }));
    return wrongWriters(this.writes, changes, (address) => this.processOf(address)?.name ?? address);
  }

  wrongWords(): readonly string[] {
    const password = this.database === "" ? [] : [decodeURIComponent(new URL(this.database).password)];
    const secrets = [apiKey, receiverSecret, ...password];
    return this.processes.flatMap(({ name, said }) => [
      ...secrets.filter((secret) => said.includes(secret)).map((secret) => `${name} said ${secret}`),
      ...said.split("\n").filter((line) => line.includes('"event":"bug"')),
    ]);
  }

  async close(): Promise<void> {
    for (const { child } of this.processes) child.kill("SIGKILL");
    await Promise.all(this.processes.map(({ ended }) => ended));
    await Promise.all([...this.services.values()].map((service) => service.close()));
    await this.receiver.close();
    await rm(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

export interface StartOptions {
  readonly args?: readonly string[];
  readonly env?: { readonly [name: string]: string };
  readonly skewMs?: number;
}

export interface RecordedWrite {
  readonly account: string;
  readonly from: string;
  readonly method: string;
  readonly path: string;
  readonly at: number;
}

/** An account of the service: a sandbox, and before it who writes down which process sends what. */
interface RecordedService {
  readonly account: string;
  readonly baseUrl: string;
  readonly sandbox: Sandbox;
  close(): Promise<void>;
}

async function openRecordedService(
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

interface RecordedServiceOptions extends SandboxOptions {
  readonly onWrite: (write: RecordedWrite) => void | Promise<void>;
}

/**
 * Preloaded into a process: what it sends comes from an address of its own, and its clock is wrong by so many
 * milliseconds.
 */
function preloaded(address: string, skewMs: number): string {
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
