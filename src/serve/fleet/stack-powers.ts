import { posix } from "node:path";
import { checkBaseUrl, waits } from "../../config/api-config.js";
import { parseConfigFile, writtenAt } from "../../config/checked-file.js";
import type { Config } from "../../config/config.js";
import { mergeConfig } from "../../config/load-config.js";
import { type DocumentPath, valueAt } from "../../core/document-path.js";
import { parseDuration } from "../../core/duration.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { configDefaults } from "../../generated/config-defaults.js";
import { isAddress, kindOf, moduleKinds } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import type { Manifest } from "../../manifest/manifest.js";
import { type FleetAccount, type FleetEntry, type StackTarget, lineOf, placeText } from "./fleet.js";

type Granted = "previousStacks" | "patterns" | "patternPlace" | "variables" | "adopt" | "guards" | "lock" | "policies";

export type GrantedSettings = Pick<Config, Granted> &
  Readonly<{
    marker: string;
    moduleEndpoints: readonly string[];
  }>;

/** @throws ConfigProblems when the repository asks for more than the operator allows */
export function grantSettings(target: StackTarget, account: FleetAccount, text: string): GrantedSettings {
  const { config: path, entry, stack } = target;
  const { environment } = entry;
  const file = parseConfigFile(text, posix.basename(path));
  const names = Object.keys(file.document.environments ?? {});
  if (environment !== null && !names.includes(environment)) {
    const message = `the configuration has no environment ${JSON.stringify(environment)}, which ${lineOf(entry)} names`;
    const remedy = `It has ${names.join(", ") || "none"}.`;
    throw file.problems([{ path: ["environments"], code: "fleet-not-allowed", message, remedy }]);
  }
  const placeOf = (at: DocumentPath): DocumentPath => writtenAt(file, environment, at);
  const refuse = (refused: readonly Refused[]): void => {
    if (refused.length === 0) return;
    throw file.problems(refused.map((one) => ({ ...one, path: placeOf(one.path), code: "fleet-not-allowed" })));
  };
  // Before its values could be used.
  refuse(refusedApi(account, (member) => valueAt(file.document, placeOf(["api", member]))));
  const flags = { ...(environment === null ? {} : { environment }), ...(stack === null ? {} : { stack }) };
  const config = mergeConfig(`/${path}`, file, { cwd: "/", env: {}, flags });
  refuse(refusedClaims(entry, config));
  const { stack: marker } = config;
  if (marker !== null)
    return {
      ...config,
      marker,
      variables: { ...config.variables, ...entry.variables },
      moduleEndpoints: account.moduleEndpoints,
    };
  const remedy = `Write \`stack\` there, or in ${lineOf(entry)}.`;
  const message = "neither the configuration nor the fleet file names the stack";
  throw file.problems([{ path: ["stack"], message, remedy, code: "fleet-not-allowed" }]);
}

type Refused = Readonly<{ path: DocumentPath; message: string; remedy: string }>;

/** No value is quoted: it may hold a password. */
function refusedApi(account: FleetAccount, valueOf: (member: string) => unknown): readonly Refused[] {
  const { baseUrl, moduleEndpoints, name, place, requestsPerMinute, versionHeader } = account;
  const isUsual = (member: "timeout" | "deadline" | "settle") => (text: string) =>
    parseDuration(text, waits) === configDefaults.api[member];
  const allowed: { readonly [member: string]: (text: string) => boolean } = {
    baseUrl: (text) => {
      const address = checkBaseUrl(text, false);
      return "url" in address && address.url === baseUrl;
    },
    versionHeader: (text) => text.toLowerCase() === versionHeader.toLowerCase(),
    moduleEndpoints: (text) => moduleEndpoints.includes(text),
    requestsPerMinute: (text) => text === String(requestsPerMinute),
    timeout: isUsual("timeout"),
    deadline: isUsual("deadline"),
    settle: isUsual("settle"),
  };
  const remedy = "Remove it, or have the operator change the account.";
  return Object.entries(allowed).flatMap(([member, isAllowed]) => {
    if ([valueOf(member) ?? []].flat().every((value) => isAllowed(String(value)))) return [];
    return {
      path: ["api", member],
      message: `api.${member} is not what accounts.${name} (${placeText(place)}) has`,
      remedy,
    };
  });
}

/** While one stack waits for its lock, no other of the account is written. */
const longestSettleMs = 30_000;

function refusedClaims(entry: FleetEntry, { adopt, guards, lock, previousStacks }: Config): readonly Refused[] {
  const line = lineOf(entry);
  const { allow } = entry;
  const { maxDeletes, allow: lifted } = guards;
  const refused: Refused[] = [];
  const claim = (isAllowed: boolean, path: DocumentPath, what: string, allowance: string): void => {
    const message = `${what}, which ${line} does not allow`;
    if (!isAllowed) refused.push({ path, message, remedy: toAllow(allowance, line) });
  };
  for (const [index, name] of previousStacks.entries()) {
    const stack = JSON.stringify(name);
    const isAllowed = allow.previousStacks.includes(name);
    claim(isAllowed, ["previousStacks", index], `previousStacks has ${stack}`, `previousStacks: [${stack}]`);
  }
  // For modules it is the id of an edge, which the manifest claims: see `refuseManifests`.
  for (const [address, id] of Object.entries(adopt).filter(([name]) => !isModule(name)))
    claim(allow.adopt.includes(id), ["adopt", address], `adopt has ${id}`, `adopt: [${id}]`);
  const isStrict = maxDeletes === null || ("count" in maxDeletes ? maxDeletes.count <= 3 : maxDeletes.percent <= 25);
  const lets = "guards.maxDeletes lets a plan delete more than the larger of 3 and 25%";
  claim(isStrict || allow.guards.includes("maxDeletes"), ["guards", "maxDeletes"], lets, "guards: [maxDeletes]");
  const lifts = `guards.allow lifts refusals (${lifted[0] ?? ""}${lifted.length > 1 ? ", …" : ""})`;
  claim(lifted.length === 0 || allow.guards.includes("allow"), ["guards", "allow"], lifts, "guards: [allow]");
  if (lock.wanted && lock.settleMs > longestSettleMs)
    refused.push({ path: ["lock", "settle"], message: "lock.settle is longer than 30s", remedy: "2s is usual." });
  return refused;
}

function toAllow(allowance: string, line: string): string {
  return `Remove it, or have the operator write \`allow: {${allowance}}\` in ${line}.`;
}

function isModule(address: string): boolean {
  return isAddress(address) && (moduleKinds as readonly string[]).includes(kindOf(address));
}

export function refuseManifests(entry: FleetEntry, manifests: readonly Manifest[]): readonly Diagnostic[] {
  const line = lineOf(entry);
  return manifests.flatMap((manifest): readonly Diagnostic[] => {
    const { address, source } = manifest;
    const claim = claimOf(manifest);
    if (claim === null || entry.allow[claim.member].includes(claim.id)) return [];
    const message = `${address} ${claim.what} ${claim.id}, which ${line} does not allow`;
    const remedy = toAllow(`${claim.member}: [${claim.id}]`, line);
    const place = { file: source.file, line: source.line, column: source.column ?? 1 };
    return [{ severity: "error", code: "fleet-not-allowed", message, remedy, ...place, address }];
  });
}

function claimOf({ address, id, kind, spec }: Manifest) {
  if (!isModule(address)) return id === null ? null : ({ member: "adopt", id, what: "adopts" } as const);
  const edge = kinds[kind].belongsTo === undefined ? id : kinds[kind].belongsTo(spec);
  return { member: "modulesOf", id: edge ?? "", what: "manages modules of" } as const;
}

export function underFleet(diagnostic: Diagnostic, { config, entry }: StackTarget): Diagnostic {
  const remedy = remedies[diagnostic.code]?.(config, lineOf(entry)) ?? diagnostic.remedy;
  return { ...diagnostic, remedy, file: posix.join(posix.dirname(config), diagnostic.file) };
}

const remedies: { readonly [code: string]: (config: string, line: string) => string } = {
  "variable-unset": (config, line) =>
    `Write \${{ vars.NAME }}, with a value under \`variables\` in ${config} or in ${line}.`,
  "file-outside": (config, line) =>
    `Move the file below the directory of ${config}, or have \`config\` in ${line} name a configuration further up.`,
};
