import { checkBaseUrl, waits } from "../../config/api-config.js";
import { ConfigProblems } from "../../config/config.js";
import { mergeConfig } from "../../config/load-config.js";
import { type ConfigFile, parseConfigFile } from "../../config/read-config-file.js";
import { parseDuration } from "../../core/duration.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { didYouMean } from "../../diagnostics/suggest.js";
import { configDefaults } from "../../generated/config-defaults.js";
import type { ConfigDocument } from "../../generated/config-types.js";
import type { GrantedSettings } from "../pass/pass-parts.js";
import { lineOf, placeText } from "./fleet-line.js";
import type { FleetAccount, StackTarget } from "./fleet.js";
import { Refusals } from "./refusals.js";
import { refuseClaims } from "./claim-wishes.js";

/** What {@link stackPowers} decides about. */
export interface PowersRequest {
  readonly target: StackTarget;
  /** The account of the target's entry. */
  readonly account: FleetAccount;
  /** The configuration, as the commit holds it. */
  readonly text: string;
}

/**
 * The line between the operator's powers and the repository's wishes. The configuration of a commit is read without any
 * process environment and flags; whatever it asks for beyond what the fleet's entry allows is a problem, at its place in
 * the configuration, that names the line of the fleet file. What manifests ask for is judged by `manifestPowers`.
 */
export function stackPowers(
  request: PowersRequest,
): { readonly settings: GrantedSettings } | { readonly problems: readonly Diagnostic[] } {
  try {
    return decide(request, parseConfigFile(request.text, request.target.config));
  } catch (error) {
    if (error instanceof ConfigProblems) return { problems: error.diagnostics };
    throw error;
  }
}

function decide(
  { target, account }: PowersRequest,
  file: ConfigFile,
): { readonly settings: GrantedSettings } | { readonly problems: readonly Diagnostic[] } {
  const { entry } = target;
  const { environment } = entry;
  const line = lineOf(entry);
  if (environment !== null && !Object.hasOwn(file.document.environments ?? {}, environment)) {
    throw unknownEnvironment(file, environment, line);
  }
  const refusals = new Refusals(file, environment);
  // Its values are compared, never used: they are taken out before they could be.
  refuseApiWishes(account, refusals);
  // The entry's marker is the marker, as `--stack` is: the configuration's is a name like any other then.
  const flags = {
    ...(environment === null ? {} : { environment }),
    ...(target.stack === null ? {} : { stack: target.stack }),
  };
  const config = mergeConfig(`/${target.config}`, withoutApi(file), { cwd: "/", env: {}, flags });
  refuseClaims(target, config, refusals);
  const marker = config.stack;
  if (marker === null) {
    const remedy = `Name the stack with \`stack\` there, or in ${line}.`;
    refusals.add(["stack"], "the configuration names no stack, and neither does the fleet file", remedy);
  }
  if (marker === null || refusals.found.length > 0) return { problems: refusals.found };
  return {
    settings: {
      marker,
      previousStacks: config.previousStacks,
      patterns: config.patterns,
      variables: { ...config.variables, ...entry.variables },
      adopt: config.adopt,
      guards: config.guards,
      lock: config.lock,
      policies: config.policies,
      moduleEndpoints: account.moduleEndpoints,
      ...(config.hints === undefined ? {} : { hints: config.hints }),
    },
  };
}

/**
 * `api` of a configuration. Where the key is sent, and how the service is called, is said by the fleet's account alone: a
 * member that says what holds anyway is harmless, every other one is refused. serve waits as long as the defaults say.
 */
function refuseApiWishes(account: FleetAccount, refusals: Refusals): void {
  const line = `accounts.${account.name} (${placeText(account.place)})`;
  const refuse = (member: string, what: string): void =>
    refusals.add(["api", member], `api.${member} ${what}`, `Remove it, or have the operator write it in ${line}.`);

  const baseUrl = refusals.valueOf(["api", "baseUrl"]);
  if (typeof baseUrl === "string") {
    const checked = checkBaseUrl(baseUrl, false);
    // The text is not quoted: it may hold a password.
    if (!("url" in checked) || checked.url !== account.baseUrl) {
      refuse("baseUrl", `is not ${account.baseUrl}, the address that ${line} has: the key is sent nowhere else`);
    }
  }
  const header = refusals.valueOf(["api", "versionHeader"]);
  if (typeof header === "string" && header.toLowerCase() !== account.versionHeader.toLowerCase()) {
    refuse("versionHeader", `is not ${account.versionHeader}, which ${line} has`);
  }
  const modules = refusals.valueOf(["api", "moduleEndpoints"]);
  if (Array.isArray(modules)) {
    const more = modules.filter((module) => typeof module === "string" && !account.moduleEndpoints.includes(module));
    if (more.length > 0) refuse("moduleEndpoints", `has ${more.join(", ")}, which ${line} has not`);
  }
  const most = refusals.valueOf(["api", "requestsPerMinute"]);
  if (typeof most === "number" && most !== account.requestsPerMinute) {
    refuse("requestsPerMinute", `is not what ${line} has, which all stacks of the account share`);
  }
  for (const member of ["timeout", "deadline", "settle"] as const) {
    const text = refusals.valueOf(["api", member]);
    if (typeof text !== "string" || parseDuration(text, waits) === configDefaults.api[member]) continue;
    const message = `api.${member} is not for the repository to say: serve decides how long it waits`;
    const remedy = `Remove it. \`deadline\` of an entry below stacks limits a pass; the account is ${line}.`;
    refusals.add(["api", member], message, remedy);
  }
}

function unknownEnvironment(file: ConfigFile, environment: string, line: string): ConfigProblems {
  const names = Object.keys(file.document.environments ?? {});
  const known =
    names.length === 0
      ? `It has none: leave out \`environment\` in ${line}, or add it to the configuration.`
      : `It has ${names.join(", ")}.`;
  const meant = didYouMean(environment, names);
  const message = `the configuration has no environment ${JSON.stringify(environment)}, which ${line} names`;
  const remedy = `${meant === null ? "" : `${meant} `}${known}`;
  return file.problem(["environments"], "fleet-not-allowed", message, remedy);
}

function withoutApi(file: ConfigFile): ConfigFile {
  const { api: _api, environments, ...base } = file.document;
  if (environments === undefined || environments === null) return { ...file, document: base };
  const named: NonNullable<ConfigDocument["environments"]> = {};
  for (const [name, environment] of Object.entries(environments)) {
    const { api: _own, ...rest } = environment ?? {};
    named[name] = rest;
  }
  return { ...file, document: { ...base, environments: named } };
}
