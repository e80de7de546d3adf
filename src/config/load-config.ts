import { basename, dirname, relative, resolve } from "node:path";
import { suggest } from "../diagnostics/suggest.js";
import type { DocumentPath } from "../core/document-path.js";
import { parseDuration } from "../core/duration.js";
import { EdgewiseError } from "../core/errors.js";
import { configDefaults } from "../generated/config-defaults.js";
import type { ConfigDocument } from "../generated/config-types.js";
import { isObject } from "../core/json.js";
import { addressExample, isAddress } from "../kinds/names.js";
import type { PatternPlace } from "../manifest/load-options.js";
import type { MaxDeletes } from "../plan/options.js";
import { apiConfig, waits } from "./api-config.js";
import { type Config, type ConfigInput, type LockConfig, mergeObjects, parseMaxDeletes } from "./config.js";
import { policiesOf } from "./configured-policies.js";
import { checkAccess, configName, configTarget, findConfig } from "./find-config.js";
import { type ConfigFile, parseConfigFile, readConfigFile } from "./read-config-file.js";
import { type Setting, badSetting, refuseEmptyVariables, setting } from "./setting.js";

/**
 * Loads the configuration: flags beat the environment, which beats the file, which beats the defaults. The file is
 * optional.
 * @throws ConfigProblems for errors in the file, with their places; EdgewiseError `config` or `usage` for the rest
 */
export async function loadConfig(input: ConfigInput): Promise<Config> {
  refuseEmptyVariables(input.env);
  const { committed } = input;
  const file = committed === undefined ? findConfig(input) : (committed?.file ?? null);
  const source = file === null ? null : configFileOf(file, input);
  // The text of a commit is not the file on disk.
  const warnings = file === null || committed !== undefined ? [] : checkAccess(file);
  return { ...mergeConfig(file, source, input), warnings };
}

/**
 * The same for a file that was read, without its warnings. It reads nothing itself.
 * @param file absolute; null = there is none
 * @throws like {@link loadConfig}
 */
export function mergeConfig(
  file: string | null,
  source: ConfigFile | null,
  input: Pick<ConfigInput, "cwd" | "env" | "flags" | "offline">,
): Config {
  const { cwd, env, flags } = input;
  const environment = setting(flags.environment, "--environment", env, "EDGEWISE_ENVIRONMENT");
  const document = selectEnvironment(
    source?.document ?? null,
    environment,
    file === null ? configName : relative(cwd, file),
    cwd,
  );
  const root = file === null ? resolve(cwd) : dirname(file);
  const fromFlags = flags.file !== undefined && flags.file.length > 0;
  const given = parseVariables(flags.var ?? []);
  const stack = stackOf(document, setting(flags.stack, "--stack", env, "EDGEWISE_STACK"));
  return {
    file,
    root,
    environment: environment?.value ?? null,
    environments: Object.keys(source?.document.environments ?? {}),
    stack,
    patterns: (fromFlags ? flags.file : document.manifests) ?? [],
    patternBase: fromFlags ? resolve(cwd) : root,
    fromFlags,
    api: apiConfig(input, document.api ?? {}, root, source, environment?.value ?? null),
    // Values that were parsed from YAML are JSON.
    variables: { ...(document.variables as Config["variables"] | null | undefined), ...given },
    untyped: new Set(Object.keys(given)),
    guards: { maxDeletes: maxDeletesOf(document, flags.maxDeletes), allow: allowOf(document, flags.allow ?? []) },
    // A null id (in an environment) removes the entry that it overrides.
    adopt: Object.fromEntries(
      Object.entries(document.adopt ?? {}).flatMap(([address, id]) => (id ? [[address, id]] : [])),
    ),
    previousStacks: (document.previousStacks ?? []).filter((name) => name !== stack),
    lock: lockOf(document, source, environment?.value ?? null),
    policies: source === null ? [] : policiesOf(source, environment?.value ?? null),
    tolerate: document.drift?.tolerate ?? [],
    notify: (document.notify ?? []).map(({ on, secret, type, url }) => ({
      url: url.env,
      type: type ?? "slack",
      secret: secret?.env ?? null,
      on: on ?? ["applied", "failed", "drift"],
    })),
    warnings: [],
    ...(source === null || fromFlags ? {} : { patternPlace: placeOfPatterns(source, environment?.value ?? null) }),
  };
}

function placeOfPatterns(file: ConfigFile, environment: string | null): PatternPlace {
  const overlay = environment === null ? undefined : file.document.environments?.[environment];
  const own = overlay?.manifests === undefined ? [] : ["environments", environment ?? ""];
  return (index) => file.textAt([...own, "manifests", index]);
}

/** A map turns the lock on, too. */
function lockOf(document: EffectiveDocument, file: ConfigFile | null, environment: string | null): LockConfig {
  const { lock } = document;
  const settle = (isObject(lock) ? lock.settle : null) ?? null;
  const settleMs =
    settle === null
      ? configDefaults.lock.settle
      : parseDuration(settle, { ...waits, range: { least: 0, most: 24 * 3_600_000 } });
  if (settleMs !== null) return { wanted: lock === true || isObject(lock), settleMs };
  const own = environment === null ? undefined : file?.document.environments?.[environment]?.lock;
  const path: DocumentPath =
    environment !== null && isObject(own) && own.settle !== undefined
      ? ["environments", environment, "lock", "settle"]
      : ["lock", "settle"];
  const message = "lock.settle must be at most 24h";
  throw file?.problem(path, "out-of-range", message, "Use a shorter duration.") ?? new RangeError(message);
}

function configFileOf(file: string, { cwd, env, flags, committed }: ConfigInput): ConfigFile {
  if (committed) return parseConfigFile(committed.text, basename(file));
  const named = setting(flags.config, "--config", env, "EDGEWISE_CONFIG") !== null;
  return readConfigFile(file, configTarget(file, cwd, named));
}

function stackOf(document: EffectiveDocument, given: Setting | null): string | null {
  if (given === null) return document.stack ?? null;
  if (/^[^\s\p{C}](.*[^\s\p{C}])?$/u.test(given.value) && given.value.length <= 200) return given.value;
  throw badSetting(
    given,
    "is not a valid stack name",
    "A stack name has at most 200 characters, no control characters, and no blanks at the beginning or end.",
  );
}

function maxDeletesOf(document: EffectiveDocument, flag: string | undefined): MaxDeletes | null {
  const fromFile = document.guards?.maxDeletes ?? null;
  if (flag === undefined) return fromFile === null ? null : parseMaxDeletes(fromFile);
  const parsed = parseMaxDeletes(flag);
  if (parsed !== null) return parsed;
  const given: Setting = { name: "--max-deletes", value: flag, from: "flag" };
  throw badSetting(given, "is neither a number nor a percentage", "Write a whole number like 5, or 25%.");
}

function allowOf(document: EffectiveDocument, flags: readonly string[]): readonly string[] {
  const wrong = flags.find((address) => !isAddress(address));
  if (wrong !== undefined) {
    const given: Setting = { name: "--allow", value: wrong, from: "flag" };
    throw badSetting(
      given,
      `${JSON.stringify(wrong)} is not an address`,
      `An address is Kind/name, like ${addressExample}.`,
    );
  }
  return [...new Set([...(document.guards?.allow ?? []), ...flags])];
}

/** A configuration without its environments; each environment has the same members. */
type EffectiveDocument = Omit<ConfigDocument, "apiVersion" | "kind" | "environments">;

/**
 * Merges the chosen environment, if any, into the configuration.
 * @param document null when there is no file
 * @param file where people find it: relative to the working directory
 * @throws EdgewiseError when there is no such environment; the remedy lists the available ones
 */
function selectEnvironment(
  document: ConfigDocument | null,
  chosen: Setting | null,
  file: string,
  cwd: string,
): EffectiveDocument {
  if (document === null) {
    if (chosen === null) return {};
    throw badSetting(
      chosen,
      `names the environment ${JSON.stringify(chosen.value)}, but there is no ${configName} in ${cwd} or above it`,
      "Run in the directory of the configuration or below, or name it with -c.",
    );
  }
  const { environments, apiVersion: _version, kind: _kind, ...base } = document;
  if (chosen === null) return base;
  const all = environments ?? {};
  // Both parts are valid and merging keeps every member in its place, so the result is valid.
  if (Object.hasOwn(all, chosen.value)) return mergeObjects(base, all[chosen.value] ?? {}) as EffectiveDocument;
  const names = Object.keys(all);
  const near = suggest(chosen.value, names);
  const known = names.length === 0 ? "It has none." : `Available environments: ${names.join(", ")}.`;
  throw badSetting(
    chosen,
    `names the environment ${JSON.stringify(chosen.value)}, which ${file} does not have`,
    near === null ? known : `Did you mean ${near}? ${known}`,
  );
}

/**
 * The variables of `--var NAME=VALUE`, with text values. The last one wins when a name is repeated.
 * @throws EdgewiseError `usage`, without the value, which may be confidential
 */
function parseVariables(flags: readonly string[]): { readonly [name: string]: string } {
  const entries = flags.map((flag): readonly [string, string] => {
    const equals = flag.indexOf("=");
    const name = equals === -1 ? flag : flag.slice(0, equals);
    if (equals === -1) {
      throw new EdgewiseError("usage", "--var needs a name and a value", { remedy: "Write --var NAME=VALUE." });
    }
    if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(name)) {
      throw new EdgewiseError("usage", `--var ${JSON.stringify(name)} is not a valid variable name`, {
        remedy: "Variable names contain letters, digits, '_' and '-', and don't start with a digit or '-'.",
      });
    }
    return [name, flag.slice(equals + 1)];
  });
  return Object.fromEntries(entries);
}
