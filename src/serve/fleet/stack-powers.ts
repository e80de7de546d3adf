import { posix } from "node:path";
import { checkBaseUrl, waits } from "../../config/api-config.js";
import { type ConfigFile, parseConfigFile, writtenAt } from "../../config/checked-file.js";
import type { Config, ConfigProblems } from "../../config/config.js";
import { mergeConfig } from "../../config/load-config.js";
import { type DocumentPath, valueAt } from "../../core/document-path.js";
import { parseDuration } from "../../core/duration.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { didYouMean } from "../../diagnostics/suggest.js";
import { configDefaults } from "../../generated/config-defaults.js";
import { isAddress, kindOf, moduleKinds } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import type { Manifest } from "../../manifest/manifest.js";
import { type FleetAccount, type StackTarget, lineOf, placeText } from "./fleet.js";

type Granted = "previousStacks" | "patterns" | "patternPlace" | "variables" | "adopt" | "guards" | "lock" | "policies";

export type GrantedSettings = Pick<Config, Granted> &
  Readonly<{
    marker: string;
    moduleEndpoints: readonly string[];
  }>;

/** The line between the operator's powers and the repository's wishes. @throws ConfigProblems */
export function grantSettings(target: StackTarget, account: FleetAccount, text: string): GrantedSettings {
  const { config: path, entry, stack } = target;
  const { environment } = entry;
  const file = parseConfigFile(text, path);
  if (environment !== null && !Object.hasOwn(file.document.environments ?? {}, environment))
    throw unknownEnvironment(file, environment, lineOf(entry));
  const placeOf = (at: DocumentPath): DocumentPath => writtenAt(file, environment, at);
  // The entry's marker beats the configuration's, as `--stack` does.
  const flags = { ...(environment === null ? {} : { environment }), ...(stack === null ? {} : { stack }) };
  // The values of `api` are compared, never used: they are taken out before they could be.
  const config = mergeConfig(`/${path}`, withoutApi(file), { cwd: "/", env: {}, flags });
  const { stack: marker } = config;
  const refused = [
    ...refusedApi(account, (member) => valueAt(file.document, placeOf(["api", member]))),
    ...refusedClaims(target, config),
  ];
  if (marker === null) {
    const message = "the configuration names no stack, and neither does the fleet file";
    refused.push({ path: ["stack"], message, remedy: `Name the stack with \`stack\` there, or in ${lineOf(entry)}.` });
  }
  if (marker === null || refused.length > 0)
    throw file.problems(refused.map((one) => ({ ...one, path: placeOf(one.path), code: "fleet-not-allowed" })));
  const variables = { ...config.variables, ...entry.variables };
  return { ...config, marker, variables, moduleEndpoints: account.moduleEndpoints };
}

type Refused = Readonly<{
  path: DocumentPath;
  message: string;
  remedy: string;
}>;

function refusedApi(account: FleetAccount, valueOf: (member: string) => unknown): readonly Refused[] {
  const line = `accounts.${account.name} (${placeText(account.place)})`;
  const refused: Refused[] = [];
  const refuse = (member: string, what: string, remedy = `Remove it, or have the operator write it in ${line}.`) =>
    refused.push({ path: ["api", member], message: `api.${member} ${what}`, remedy });

  const baseUrl = valueOf("baseUrl");
  const address = typeof baseUrl === "string" ? checkBaseUrl(baseUrl, false) : null;
  // The text is not quoted: it may hold a password.
  if (address !== null && (!("url" in address) || address.url !== account.baseUrl))
    refuse("baseUrl", `is not ${account.baseUrl}, the address that ${line} has: the key is sent nowhere else`);
  const header = valueOf("versionHeader");
  if (typeof header === "string" && header.toLowerCase() !== account.versionHeader.toLowerCase())
    refuse("versionHeader", `is not ${account.versionHeader}, which ${line} has`);
  const modules = valueOf("moduleEndpoints");
  const more = (Array.isArray(modules) ? modules : []).filter(
    (module) => typeof module === "string" && !account.moduleEndpoints.includes(module),
  );
  if (more.length > 0) refuse("moduleEndpoints", `has ${more.join(", ")}, which ${line} has not`);
  const most = valueOf("requestsPerMinute");
  if (typeof most === "number" && most !== account.requestsPerMinute)
    refuse("requestsPerMinute", `is not what ${line} has`);
  for (const member of ["timeout", "deadline", "settle"] as const) {
    const text = valueOf(member);
    if (typeof text !== "string" || parseDuration(text, waits) === configDefaults.api[member]) continue;
    const remedy = `Remove it; \`deadline\` of the stack limits a pass. The account is ${line}.`;
    refuse(member, "is not for the repository to say", remedy);
  }
  return refused;
}

/** While one stack waits for its lock, no other of the account is written. */
const longestSettleMs = 30_000;

function refusedClaims({ entry }: StackTarget, config: Config): readonly Refused[] {
  const line = lineOf(entry);
  const { allow } = entry;
  const { maxDeletes, allow: lifted } = config.guards;
  const refused: Refused[] = [];
  const claim = (isAllowed: boolean, path: DocumentPath, what: string, allowance: string): void => {
    const message = `${what}, which ${line} does not allow`;
    if (!isAllowed) refused.push({ path, message, remedy: toAllow(allowance, line) });
  };
  for (const [index, name] of config.previousStacks.entries()) {
    const stack = JSON.stringify(name);
    const isAllowed = allow.previousStacks.includes(name);
    claim(isAllowed, ["previousStacks", index], `previousStacks has ${stack}`, `previousStacks: [${stack}]`);
  }
  // For modules it is the id of an edge, which the manifest claims: see `refuseManifests`.
  for (const [address, id] of Object.entries(config.adopt).filter(([name]) => !isModule(name)))
    claim(allow.adopt.includes(id), ["adopt", address], `adopt has ${id}`, `adopt: [${id}]`);
  const isStrict = maxDeletes === null || ("count" in maxDeletes ? maxDeletes.count <= 3 : maxDeletes.percent <= 25);
  const lets = "guards.maxDeletes lets a plan delete more than the larger of 3 and 25%";
  claim(isStrict || allow.guards.includes("maxDeletes"), ["guards", "maxDeletes"], lets, "guards: [maxDeletes]");
  const lifts = `guards.allow lifts refusals (${lifted[0] ?? ""}${lifted.length > 1 ? ", …" : ""})`;
  claim(lifted.length === 0 || allow.guards.includes("allow"), ["guards", "allow"], lifts, "guards: [allow]");
  if (!config.lock.wanted || config.lock.settleMs <= longestSettleMs) return refused;
  const message = "lock.settle is longer than 30s";
  return [
    ...refused,
    { path: ["lock", "settle"], message, remedy: "Write at most 30s, or leave it out: 2s is usual." },
  ];
}

function toAllow(allowance: string, line: string): string {
  return `Remove it, or have the operator write \`allow: {${allowance}}\` in ${line}.`;
}

function isModule(address: string): boolean {
  return isAddress(address) && (moduleKinds as readonly string[]).includes(kindOf(address));
}

export function refuseManifests({ config, entry }: StackTarget, manifests: readonly Manifest[]): readonly Diagnostic[] {
  const line = lineOf(entry);
  return manifests.flatMap((manifest): readonly Diagnostic[] => {
    const { address, source } = manifest;
    const claim = claimOf(manifest);
    if (claim === null || entry.allow[claim.member].includes(claim.id)) return [];
    const message = `${address} ${claim.what} ${claim.id}, which ${line} does not allow`;
    const remedy = toAllow(`${claim.member}: [${claim.id}]`, line);
    const place = { file: besideConfig(config, source.file), line: source.line, column: source.column ?? 1 };
    return [{ severity: "error", code: "fleet-not-allowed", message, remedy, ...place, address }];
  });
}

function claimOf({ address, id, kind, spec }: Manifest) {
  if (!isModule(address)) return id === null ? null : ({ member: "adopt", id, what: "adopts" } as const);
  const edge = kinds[kind].belongsTo === undefined ? id : kinds[kind].belongsTo(spec);
  return { member: "modulesOf", id: edge ?? "", what: "manages modules of" } as const;
}

function besideConfig(config: string, file: string): string {
  return posix.join(posix.dirname(config), file);
}

export function underFleet(diagnostic: Diagnostic, { config, entry }: StackTarget): Diagnostic {
  const remedy = remedies[diagnostic.code]?.(config, lineOf(entry)) ?? diagnostic.remedy;
  return { ...diagnostic, remedy, file: besideConfig(config, diagnostic.file) };
}

const remedies: { readonly [code: string]: (config: string, line: string) => string } = {
  "variable-unset": (config, line) =>
    `Write \${{ vars.NAME }}, with a value under \`variables\` in ${config} or in ${line}.`,
  "file-outside": (config, line) =>
    `Move the file below the directory of ${config}, or have \`config\` in ${line} name a configuration further up.`,
};

function unknownEnvironment(file: ConfigFile, environment: string, line: string): ConfigProblems {
  const names = Object.keys(file.document.environments ?? {});
  const known =
    names.length === 0
      ? `It has none: leave out \`environment\` in ${line}, or add it to the configuration.`
      : `It has ${names.join(", ")}.`;
  const message = `the configuration has no environment ${JSON.stringify(environment)}, which ${line} names`;
  const remedy = [didYouMean(environment, names) ?? [], known].flat().join(" ");
  return file.problems([{ path: ["environments"], code: "fleet-not-allowed", message, remedy }]);
}

function withoutApi(file: ConfigFile): ConfigFile {
  const { api: _, environments, ...base } = file.document;
  if (environments === undefined || environments === null) return { ...file, document: base };
  const named = Object.entries(environments).map(([name, environment]) => {
    const { api: _own, ...rest } = environment ?? {};
    return [name, rest] as const;
  });
  return { ...file, document: { ...base, environments: Object.fromEntries(named) } };
}
