import { configDefaults } from "../../generated/config-defaults.js";
import { dirname, resolve } from "node:path";
import { checkBaseUrl, isLoopback } from "../../config/api-config.js";
import { parseCheckedFile, readSettings } from "../../config/checked-file.js";
import { checkAccess } from "../../config/find-config.js";
import type { DocumentPath } from "../../core/document-path.js";
import { EdgewiseError } from "../../core/errors.js";
import type { Account, FleetDocument, Secret, Source } from "../../generated/fleet-types.js";
import { limits } from "../../core/limits.js";
import { fleetErrors } from "../../schema/validate-documents.js";
import { versionHeaderProblem } from "../../core/version-header.js";
import { fullRefs, sourceAddress } from "../git/source-address.js";
import { refProblem, reportSameStacks } from "./expand-entries.js";
import { entryOf, policyOf } from "./fleet-entry.js";
import { FleetReport } from "./fleet-report.js";
import {
  type Fleet,
  type FleetAccount,
  type FleetHttp,
  type FleetSource,
  type SecretSource,
  notificationKinds,
} from "./fleet.js";
import { type SecretReading, checkSigners, readSecretSource } from "./read-secret-source.js";

export interface FleetInput extends SecretReading {
  readonly file: string;
  readonly cwd: string;
}

/** Loads the operator's file and checks it, with every file that it names: a loaded fleet can be served. */
export async function loadFleet({ file, cwd, ...reading }: FleetInput): Promise<Fleet> {
  const path = resolve(cwd, file);
  const text = readSettings(path, fileRemedy, limits.fileBytes);
  const checked = parseCheckedFile(text, file, ["a fleet file", "Fleet"], fleetErrors);
  for (const { message } of checkAccess(path)) reading.onWarning?.(message);
  const report = new FleetReport(file, checked);
  const fleet = new FleetReader(asFleetDocument(checked.value), dirname(path), report).read(path);
  await checkFiles(fleet, report, reading);
  const { error } = report;
  if (error !== null) throw error;
  return fleet;
}

const fileRemedy =
  "Name a file that lists the sources, accounts and stacks to serve. `edgewise explain Fleet` shows what it contains.";

/** Only to be called for a value without schema errors. */
function asFleetDocument(value: unknown): FleetDocument {
  return value as FleetDocument;
}

class FleetReader {
  constructor(
    private readonly document: FleetDocument,
    private readonly directory: string,
    private readonly report: FleetReport,
  ) {}

  read(file: string): Fleet {
    const { directory, document, report } = this;
    this.#checkNames();
    // Also when no entry uses them.
    const surroundings = { document, directory, report };
    policyOf(["defaults"], {}, surroundings);
    const entries = [...membersOf(document.stacks)].map(([name, entry]) => entryOf(name, entry, surroundings));
    const sources = new Map([...membersOf(document.sources)].map(([name, each]) => [name, this.#source(name, each)]));
    const accounts = new Map(
      [...membersOf(document.accounts)].map(([name, each]) => [name, this.#account(name, each)]),
    );
    reportSameStacks(entries, accounts, report);
    return {
      file,
      pause: document.pause ?? false,
      sources,
      accounts,
      entries,
      forgotten: new Set(document.forgotten ?? []),
      http: this.#http(),
      notify: (document.notify ?? []).flatMap(({ url, on }, index) => {
        const place = ["notify", index, "url"];
        return [{ url: this.#required(url, place), on: on ?? notificationKinds }];
      }),
      historyMs: report.duration(["history", "keep"], document.history?.keep ?? "90d", "3650d"),
    };
  }

  #checkNames(): void {
    for (const map of ["sources", "accounts", "stacks"] as const) {
      for (const name of Object.keys(this.document[map])) {
        const problem = refProblem(name);
        if (problem === null) continue;
        const message = `must be a name that can be part of a Git ref: it ${problem}`;
        this.report.add([map, name], "bad-format", message, { at: "key" });
      }
    }
  }

  #source(name: string, source: Source): FleetSource {
    const path: DocumentPath = ["sources", name];
    const address = sourceAddress(source.git, this.directory);
    if ("problem" in address) this.report.add([...path, "git"], "fleet-git-url", address.problem);
    const { hook = null, signedBy = null } = source;
    const ref = source.ref ?? "main";
    if ("problem" in fullRefs(ref)) {
      const message = `must be the name of a branch or tag, not ${JSON.stringify(ref)}`;
      this.report.add([...path, "ref"], "bad-format", message);
    }
    return {
      name,
      git: "url" in address ? address.url : "",
      ref,
      pin: source.pin ?? null,
      accept: source.accept ?? [],
      pollMs: this.report.duration([...path, "poll"], source.poll ?? "1m", "7d"),
      credentials: this.#secret(source.credentials),
      signedBy: signedBy === null ? null : resolve(this.directory, signedBy),
      hook: hook === null ? null : this.#required(hook.secret, [...path, "hook", "secret"]),
      place: this.report.placeOf(path),
    };
  }

  #account(name: string, account: Account): FleetAccount {
    const path: DocumentPath = ["accounts", name];
    const checked = checkBaseUrl(account.baseUrl, false);
    if ("problem" in checked) {
      const remedy = "Write it like https://api.example.com; http only reaches this machine.";
      this.report.add([...path, "baseUrl"], "bad-base-url", checked.problem, { remedy });
    }
    const versionHeader = account.versionHeader ?? configDefaults.api.versionHeader;
    const problem = versionHeaderProblem(versionHeader);
    if (problem !== null) this.report.add([...path, "versionHeader"], "bad-version-header", problem);
    return {
      name,
      baseUrl: "url" in checked ? checked.url : "",
      versionHeader,
      moduleEndpoints: account.moduleEndpoints ?? [],
      key: this.#required(account.key, [...path, "key"]),
      requestsPerMinute: account.requestsPerMinute ?? null,
      place: this.report.placeOf(path),
    };
  }

  #http(): FleetHttp {
    const { listen, token } = this.document.http ?? {};
    const text = listen ?? "127.0.0.1:7070";
    const address = parseListen(text);
    if (address === null) this.report.add(["http", "listen"], "out-of-range", "has a port above 65535");
    const secret = this.#secret(token);
    if (address !== null && secret === null && !isLoopback(address.host)) {
      this.report.add(["http", "listen"], "missing-member", "is reached from other machines, so http.token is needed", {
        remedy: "Name a file that holds a token: `token: {file: …}`, or listen on 127.0.0.1.",
      });
    }
    return { ...(address ?? { host: "127.0.0.1", port: 0 }), token: secret };
  }

  #secret(secret: Secret | undefined): SecretSource | null {
    if (secret?.file !== undefined) return { file: resolve(this.directory, secret.file) };
    return secret?.env === undefined ? null : { env: secret.env };
  }

  #required(secret: Secret | undefined, path: DocumentPath): SecretSource {
    const found = this.#secret(secret);
    if (found === null)
      this.report.add(path, "missing-member", "is empty", { remedy: "Write {file: …} or {env: NAME}." });
    return found ?? { env: "" };
  }
}

function* membersOf<T>(map: { readonly [name: string]: T | undefined }): Generator<readonly [string, T]> {
  for (const [name, member] of Object.entries(map)) if (member !== undefined) yield [name, member];
}

/** Reads every secret and every list of signers once, so that a wrong path shows now and not in the night. */
async function checkFiles(fleet: Fleet, report: FleetReport, reading: SecretReading): Promise<void> {
  const attempt = async (path: DocumentPath, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof EdgewiseError)) throw error;
      report.add(path, "fleet-file-unusable", `can't be used: ${error.message}`, { remedy: error.remedy });
    }
  };
  const secret = async (path: DocumentPath, source: SecretSource | null, what: string): Promise<void> => {
    if (source === null || ("env" in source && source.env === "")) return;
    await attempt(path, async () => readSecretSource(source, what, reading));
  };
  for (const { name, key } of fleet.accounts.values()) {
    await secret(["accounts", name, "key"], key, "the API key");
  }
  for (const { name, credentials, hook, signedBy } of fleet.sources.values()) {
    await secret(["sources", name, "credentials"], credentials, "the credentials");
    await secret(["sources", name, "hook", "secret"], hook, "the hook's secret");
    if (signedBy === null) continue;
    await attempt(["sources", name, "signedBy"], async () => checkSigners(signedBy, "the signers"));
  }
  await secret(["http", "token"], fleet.http.token, "the token");
  for (const [index, { url }] of fleet.notify.entries()) await secret(["notify", index, "url"], url, "the URL");
  const seen = new Set<string>();
  for (const { name, policy, place } of fleet.entries) {
    const { approvers } = policy;
    if (approvers === null || seen.has(approvers)) continue;
    seen.add(approvers);
    // Without one of its own, its approvers are those of `defaults`.
    const own = report.placeOf(["stacks", name, "approvers"]);
    const isOwn = own.line !== place.line || own.column !== place.column;
    await attempt(isOwn ? ["stacks", name, "approvers"] : ["defaults", "approvers"], async () =>
      checkSigners(approvers, "the approvers"),
    );
  }
}

/** Reads `HOST:PORT`; an IPv6 address stands in brackets. Null when it is not one. */
export function parseListen(text: string): { readonly host: string; readonly port: number } | null {
  const [, six, name, digits] = /^(?:\[([0-9A-Fa-f:.]+)\]|([0-9A-Za-z.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = six ?? name;
  const port = Number(digits);
  return host === undefined || port > 65_535 ? null : { host, port };
}
