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
import { entryOf, FleetReport, policyOf } from "./fleet-entry.js";
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

export async function loadFleet({ file, cwd, ...reading }: FleetInput): Promise<Fleet> {
  const path = resolve(cwd, file);
  const text = readSettings(path, fileRemedy, limits.fileBytes);
  const checked = parseCheckedFile(text, file, ["a fleet file", "Fleet"], fleetErrors);
  for (const { message } of checkAccess(path)) reading.onWarning?.(message);
  const report = new FleetReport(file, checked);
  const fleet = readFleet(path, checked.value, report);
  await checkFiles(fleet, report, reading);
  const { error } = report;
  if (error !== null) throw error;
  return fleet;
}

const fileRemedy =
  "Name a file that lists the sources, accounts and stacks to serve. `edgewise explain Fleet` shows what it contains.";

function readFleet(file: string, value: unknown, report: FleetReport): Fleet {
  // It has no schema errors.
  const document = value as FleetDocument;
  const directory = dirname(file);
  for (const map of ["sources", "accounts", "stacks"] as const)
    for (const name of Object.keys(document[map])) {
      const problem = refProblem(name);
      const message = `must be a name that can be part of a Git ref: it ${problem ?? ""}`;
      if (problem !== null) report.add([map, name], "bad-format", message, { at: "key" });
    }
  const optional = (secret: Secret | undefined): SecretSource | null => {
    if (secret?.file !== undefined) return { file: resolve(directory, secret.file) };
    return secret?.env === undefined ? null : { env: secret.env };
  };
  const required = (secret: Secret | undefined, path: DocumentPath): SecretSource => {
    const found = optional(secret);
    if (found === null) report.add(path, "missing-member", "is empty", { remedy: "Write {file: …} or {env: NAME}." });
    return found ?? { env: "" };
  };
  const sourceOf = (name: string, source: Source): FleetSource => {
    const path: DocumentPath = ["sources", name];
    const address = sourceAddress(source.git, directory);
    if ("problem" in address) report.add([...path, "git"], "fleet-git-url", address.problem);
    const { hook = null, signedBy = null } = source;
    const ref = source.ref ?? "main";
    if ("problem" in fullRefs(ref)) {
      const message = `must be the name of a branch or tag, not ${JSON.stringify(ref)}`;
      report.add([...path, "ref"], "bad-format", message);
    }
    return {
      name,
      git: "url" in address ? address.url : "",
      ref,
      pin: source.pin ?? null,
      accept: source.accept ?? [],
      pollMs: report.duration([...path, "poll"], source.poll ?? "1m", "7d"),
      credentials: optional(source.credentials),
      signedBy: signedBy === null ? null : resolve(directory, signedBy),
      hook: hook === null ? null : required(hook.secret, [...path, "hook", "secret"]),
      place: report.placeOf(path),
    };
  };
  const accountOf = (name: string, account: Account): FleetAccount => {
    const path: DocumentPath = ["accounts", name];
    const checked = checkBaseUrl(account.baseUrl, false);
    if ("problem" in checked) {
      const remedy = "Write it like https://api.example.com; http only reaches this machine.";
      report.add([...path, "baseUrl"], "bad-base-url", checked.problem, { remedy });
    }
    const moduleEndpoints = account.moduleEndpoints ?? [];
    const requestsPerMinute = account.requestsPerMinute ?? null;
    const versionHeader = account.versionHeader ?? configDefaults.api.versionHeader;
    const problem = versionHeaderProblem(versionHeader);
    if (problem !== null) report.add([...path, "versionHeader"], "bad-version-header", problem);
    const key = required(account.key, [...path, "key"]);
    const baseUrl = "url" in checked ? checked.url : "";
    return { name, baseUrl, versionHeader, moduleEndpoints, key, requestsPerMinute, place: report.placeOf(path) };
  };
  const http = (): FleetHttp => {
    const { listen, token } = document.http ?? {};
    const address = parseListen(listen ?? "127.0.0.1:7070");
    if (address === null) report.add(["http", "listen"], "out-of-range", "has a port above 65535");
    const secret = optional(token);
    if (address !== null && secret === null && !isLoopback(address.host)) {
      const remedy = "Name a file that holds a token: `token: {file: …}`, or listen on 127.0.0.1.";
      const message = "is reached from other machines, so http.token is needed";
      report.add(["http", "listen"], "missing-member", message, { remedy });
    }
    return { ...(address ?? { host: "127.0.0.1", port: 0 }), token: secret };
  };
  const surroundings = { document, directory, report };
  // Also when no entry uses them.
  policyOf(["defaults"], {}, surroundings);
  const entries = membersOf(document.stacks).map(([name, entry]) => entryOf(name, entry, surroundings));
  const accounts = new Map(membersOf(document.accounts).map(([name, each]) => [name, accountOf(name, each)]));
  reportSameStacks(entries, accounts, report);
  return {
    file,
    pause: document.pause ?? false,
    sources: new Map(membersOf(document.sources).map(([name, each]) => [name, sourceOf(name, each)])),
    accounts,
    entries,
    forgotten: new Set(document.forgotten ?? []),
    http: http(),
    notify: (document.notify ?? []).map(({ url, on }, index) => {
      return { url: required(url, ["notify", index, "url"]), on: on ?? notificationKinds };
    }),
    historyMs: report.duration(["history", "keep"], document.history?.keep ?? "90d", "3650d"),
  };
}

function membersOf<T>(map: { readonly [name: string]: T | undefined }): readonly (readonly [string, T])[] {
  return Object.entries(map).flatMap(([name, member]) => (member === undefined ? [] : [[name, member] as const]));
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
    if (source !== null && !("env" in source && source.env === ""))
      await attempt(path, () => readSecretSource(source, what, reading));
  };
  for (const { name, key } of fleet.accounts.values()) await secret(["accounts", name, "key"], key, "the API key");
  for (const { name, credentials, hook, signedBy } of fleet.sources.values()) {
    await secret(["sources", name, "credentials"], credentials, "the credentials");
    await secret(["sources", name, "hook", "secret"], hook, "the hook's secret");
    if (signedBy === null) continue;
    await attempt(["sources", name, "signedBy"], () => checkSigners(signedBy, "the signers"));
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
    const at = isOwn ? ["stacks", name, "approvers"] : ["defaults", "approvers"];
    await attempt(at, () => checkSigners(approvers, "the approvers"));
  }
}

export function parseListen(text: string): { readonly host: string; readonly port: number } | null {
  const [, six, name, digits] = /^(?:\[([0-9A-Fa-f:.]+)\]|([0-9A-Za-z.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = six ?? name;
  const port = Number(digits);
  return host === undefined || port > 65_535 ? null : { host, port };
}
