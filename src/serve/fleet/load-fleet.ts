import { dirname, resolve } from "node:path";
import { checkBaseUrl, isLoopback } from "../../config/api-config.js";
import { type CheckedFile, type ProblemAt, parseCheckedFile, readSettings } from "../../config/checked-file.js";
import { parseMaxDeletes } from "../../config/config.js";
import { checkAccess } from "../../config/find-config.js";
import { type DocumentPath, showPath } from "../../core/document-path.js";
import { parseDuration } from "../../core/duration.js";
import { EdgewiseError } from "../../core/errors.js";
import { limits } from "../../core/limits.js";
import { versionHeaderProblem } from "../../core/version-header.js";
import { type Code, remedies } from "../../diagnostics/codes.js";
import { configDefaults } from "../../generated/config-defaults.js";
import type { Account, Entry, FleetDocument, Secret, Source } from "../../generated/fleet-types.js";
import { fleetErrors } from "../../schema/validate-documents.js";
import { type Window, parseWindow } from "../decide/windows.js";
import { fullRefs, sourceAddress } from "../git/source-address.js";
import { isRefPart, reportSameStacks } from "./expand-entries.js";
import {
  type Fleet,
  type FleetAccount,
  type FleetEntry,
  type FleetHttp,
  type FleetSource,
  type SecretSource,
  type StackPolicy,
  notificationKinds,
} from "./fleet.js";
import { type SecretReading, checkSigners, readSecretSource } from "./read-secret-source.js";

export type FleetInput = SecretReading & Readonly<{ file: string; cwd: string }>;

export async function loadFleet({ file, cwd, ...reading }: FleetInput): Promise<Fleet> {
  const path = resolve(cwd, file);
  const text = readSettings(path, fileRemedy, limits.fileBytes);
  const checked = parseCheckedFile(text, file, ["a fleet file", "Fleet"], fleetErrors);
  checkAccess(path);
  const reader = new FleetReader(path, checked, reading);
  const fleet = reader.fleet();
  if (reader.problems.size > 0) throw checked.problems([...reader.problems.values()]);
  return fleet;
}

const fileRemedy = "Name a fleet file. `edgewise explain Fleet` shows what it contains.";

type PolicyMembers = NonNullable<FleetDocument["defaults"]>;

class FleetReader {
  readonly problems = new Map<string, ProblemAt>();
  readonly #document: FleetDocument;
  readonly #directory: string;
  readonly #windows = new Map<string, Window>();
  readonly #signers = new Set<string>();

  constructor(
    private readonly path: string,
    private readonly checked: CheckedFile,
    private readonly reading: SecretReading,
  ) {
    const document: unknown = checked.value;
    this.#document = document as FleetDocument;
    this.#directory = dirname(path);
  }

  fleet(): Fleet {
    const { forgotten, history, notify, pause, ...document } = this.#document;
    for (const map of ["sources", "accounts", "stacks"] as const)
      for (const name of Object.keys(document[map])) {
        if (!isRefPart(name)) this.#add([map, name], "bad-format", "can't be part of a Git ref", null, "key");
      }
    this.#policyOf(["defaults"], {});
    const entries = membersOf(document.stacks).map(([name, entry]) => this.#entryOf(name, entry));
    const accounts = new Map(membersOf(document.accounts).map(([name, each]) => [name, this.#accountOf(name, each)]));
    reportSameStacks(entries, accounts, (path, message) => this.#add(path, "fleet-stack-twice", message));
    return {
      file: this.path,
      pause: pause ?? false,
      sources: new Map(membersOf(document.sources).map(([name, each]) => [name, this.#sourceOf(name, each)])),
      accounts,
      entries,
      forgotten: new Set(forgotten ?? []),
      http: this.#http(),
      notify: (notify ?? []).map(({ url, on }, index) => {
        return { url: this.#required(["notify", index, "url"], url, "the URL"), on: on ?? notificationKinds };
      }),
      historyMs: this.#duration(["history", "keep"], history?.keep ?? "90d", "3650d"),
    };
  }

  #checkFile(path: DocumentPath, read: () => unknown): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof EdgewiseError)) throw error;
      this.#add(path, "fleet-file-unusable", `can't be used: ${error.message}`, error.remedy);
    }
  }

  #add(
    path: DocumentPath,
    code: Code,
    said: string,
    remedy: string | null = null,
    at: "key" | "value" = "value",
  ): void {
    const message = `${showPath(path)} ${said}`;
    this.problems.set(JSON.stringify([path, message]), { path, code, message, at, remedy: remedy ?? remedies[code] });
  }

  #checkName(path: DocumentPath, name: string, known: readonly string[]): void {
    if (known.includes(name)) return;
    const remedy = `The file has ${known.join(", ") || "none"}.`;
    this.#add(path, "fleet-name-unknown", `is ${JSON.stringify(name)}, which the file does not have`, remedy);
  }

  #placeOf(path: DocumentPath) {
    return { file: this.checked.name, ...this.checked.placeOf(path) };
  }

  #duration(path: DocumentPath, text: string, most: string): number {
    const form = { units: ["ms", "s", "m", "h", "d"], fractions: true } as const;
    const ms = parseDuration(text, form) ?? 0;
    if (ms >= 1 && ms <= (parseDuration(most, form) ?? 0)) return ms;
    this.#add(path, "out-of-range", `must be longer than 0 and at most ${most}, not ${JSON.stringify(text)}`);
    return 1;
  }

  #window(path: DocumentPath, text: string): readonly Window[] {
    const window = this.#windows.get(text) ?? parseWindow(text);
    if (window === null) {
      const remedy = "Write it as `mon-fri 07:00-17:00 Europe/Berlin`.";
      this.#add(path, "fleet-window", `is not a window of time: ${JSON.stringify(text)}`, remedy);
      return [];
    }
    this.#windows.set(text, window);
    return [window];
  }

  #time(path: DocumentPath, text: string | null): number | null {
    const time = text === null ? null : Date.parse(text);
    if (time === null || !Number.isNaN(time)) return time;
    const remedy = "Write it like 2026-12-01T00:00:00Z.";
    this.#add(path, "out-of-range", `is no time that exists: ${JSON.stringify(text)}`, remedy);
    return null;
  }

  #optional(path: DocumentPath, secret: Secret | undefined, what: string): SecretSource | null {
    const { env, file } = secret ?? {};
    if (file === undefined && env === undefined) return null;
    const source = file === undefined ? { env: env ?? "" } : { file: resolve(this.#directory, file) };
    this.#checkFile(path, () => readSecretSource(source, what, this.reading));
    return source;
  }

  #required(path: DocumentPath, secret: Secret | undefined, what: string): SecretSource {
    const source = this.#optional(path, secret, what);
    if (source === null) this.#add(path, "missing-member", "is empty", "Write {file: …} or {env: NAME}.");
    return source ?? { env: "" };
  }

  #signersIn(path: DocumentPath, file: string | null | undefined, what: string): string | null {
    if (file === undefined || file === null) return null;
    const found = resolve(this.#directory, file);
    if (!this.#signers.has(found)) this.#checkFile(path, () => checkSigners(found, what));
    this.#signers.add(found);
    return found;
  }

  #sourceOf(name: string, source: Source): FleetSource {
    const path: DocumentPath = ["sources", name];
    const address = sourceAddress(source.git, this.#directory);
    if ("problem" in address) this.#add([...path, "git"], "fleet-git-url", address.problem);
    const { accept, credentials, hook, pin, poll, signedBy } = source;
    const ref = source.ref ?? "main";
    if ("problem" in fullRefs(ref))
      this.#add([...path, "ref"], "bad-format", `must be the name of a branch or tag, not ${JSON.stringify(ref)}`);
    return {
      name,
      git: "url" in address ? address.url : "",
      ref,
      pin: pin ?? null,
      accept: accept ?? [],
      pollMs: this.#duration([...path, "poll"], poll ?? "1m", "7d"),
      credentials: this.#optional([...path, "credentials"], credentials, "the credentials"),
      signedBy: this.#signersIn([...path, "signedBy"], signedBy, "the signers"),
      hook: hook ? this.#required([...path, "hook", "secret"], hook.secret, "the hook's secret") : null,
      place: this.#placeOf(path),
    };
  }

  #accountOf(name: string, account: Account): FleetAccount {
    const path: DocumentPath = ["accounts", name];
    const address = checkBaseUrl(account.baseUrl, false);
    if ("problem" in address) {
      const remedy = "Write it like https://api.example.com; http only reaches this machine.";
      this.#add([...path, "baseUrl"], "bad-base-url", address.problem, remedy);
    }
    const versionHeader = account.versionHeader ?? configDefaults.api.versionHeader;
    const problem = versionHeaderProblem(versionHeader);
    if (problem !== null) this.#add([...path, "versionHeader"], "bad-version-header", problem);
    return {
      name,
      baseUrl: "url" in address ? address.url : "",
      versionHeader,
      moduleEndpoints: account.moduleEndpoints ?? [],
      key: this.#required([...path, "key"], account.key, "the API key"),
      requestsPerMinute: account.requestsPerMinute ?? null,
      place: this.#placeOf(path),
    };
  }

  #http(): FleetHttp {
    const { listen, token: given } = this.#document.http ?? {};
    const address = parseListen(listen ?? "127.0.0.1:7070");
    if (address === null) this.#add(["http", "listen"], "out-of-range", "has a port above 65535");
    const token = this.#optional(["http", "token"], given, "the token");
    if (address !== null && token === null && !isLoopback(address.host)) {
      const remedy = "Write `token: {file: …}`, or listen on 127.0.0.1.";
      this.#add(
        ["http", "listen"],
        "missing-member",
        "is reached from other machines, so http.token is needed",
        remedy,
      );
    }
    return { ...(address ?? { host: "127.0.0.1", port: 0 }), token };
  }

  #entryOf(name: string, entry: Entry): FleetEntry {
    const path: DocumentPath = ["stacks", name];
    const { account, allow, configs, environment, secrets, source, stack, variables } = entry;
    this.#checkName([...path, "source"], source, Object.keys(this.#document.sources));
    this.#checkName([...path, "account"], account, Object.keys(this.#document.accounts));
    for (const member of ["config", "stack", "secrets"] as const)
      if ((configs ?? null) === null && entry[member]?.includes("*") === true)
        this.#add([...path, member], "fleet-path", "has a *, which only stands for something with `configs`");
    return {
      name,
      source,
      config: this.#configOf(entry, path),
      environment: environment ?? null,
      account,
      stack: stack ?? null,
      secrets: secrets ? resolve(this.#directory, secrets) : null,
      variables: (variables ?? {}) as FleetEntry["variables"],
      allow: {
        previousStacks: allow?.previousStacks ?? [],
        adopt: allow?.adopt ?? [],
        modulesOf: allow?.modulesOf ?? [],
        guards: allow?.guards ?? [],
      },
      policy: this.#policyOf(path, entry),
      place: this.#placeOf(path),
    };
  }

  #configOf({ config, configs }: Entry, path: DocumentPath): string {
    const pattern = configs ?? null;
    if (pattern === null) return this.#pathInSource(config ?? "edgewise.yaml", [...path, "config"]);
    const place = [...path, "configs"];
    if ((config ?? null) !== null)
      this.#add(place, "choose-one", "stands beside config: an entry has one of them", null, "key");
    if (pattern.split("*").length !== 2) {
      const remedy = "Write * for the one part that differs, like tenants/*/edgewise.yaml.";
      this.#add(place, "fleet-path", "must have exactly one *", remedy);
    }
    return this.#pathInSource(pattern, place);
  }

  #pathInSource(text: string, place: DocumentPath): string {
    const path = text.replace(/^(\.\/+)+/u, "");
    if (/[\p{Cc}\\]/u.test(path) || path.split("/").some((part) => part === "" || part.startsWith(".")))
      this.#add(
        place,
        "fleet-path",
        "must be a relative path without `\\`, empty parts, and parts that begin with a dot",
      );
    return path;
  }

  #policyOf(path: DocumentPath, own: PolicyMembers): StackPolicy {
    const shared = this.#document.defaults ?? {};
    const at = (member: keyof PolicyMembers, ...inside: DocumentPath): DocumentPath => [
      ...(own[member] === undefined ? ["defaults"] : path),
      member,
      ...inside,
    ];
    const { approvers, deadline, interval, suspend, windows } = { ...shared, ...own };
    const apply = { ...shared.apply, ...own.apply };
    const brake = { ...shared.brake, ...own.brake };
    return {
      intervalMs: this.#duration(at("interval"), interval ?? "10m", "7d"),
      apply: { commit: apply.commit ?? "routing", drift: apply.drift ?? "cosmetic" },
      windows: (windows ?? []).flatMap((text, index) => this.#window(at("windows", index), text)),
      suspend: suspend
        ? { until: this.#time(at("suspend", "until"), suspend.until ?? null), reason: suspend.reason }
        : null,
      approvers: this.#signersIn(at("approvers"), approvers, "the approvers"),
      brake: {
        stacks: parseMaxDeletes(brake.stacks ?? "20%") ?? { percent: 20 },
        deletesPerDay: brake.deletesPerDay ?? 10,
        writers: brake.writers ?? 3,
        release: brake.release ?? [],
      },
      deadlineMs: this.#duration(at("deadline"), deadline ?? "15m", "24h"),
    };
  }
}

function membersOf<T>(map: { readonly [name: string]: T | undefined }): readonly (readonly [string, T])[] {
  return Object.entries(map).flatMap(([name, member]) => (member === undefined ? [] : [[name, member] as const]));
}

export function parseListen(text: string): Readonly<{ host: string; port: number }> | null {
  const [, six, name, digits] = /^(?:\[([0-9A-Fa-f:.]+)\]|([0-9A-Za-z.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = six ?? name;
  const port = Number(digits);
  return host === undefined || port > 65_535 ? null : { host, port };
}
