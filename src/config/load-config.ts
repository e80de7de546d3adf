import { basename, dirname, resolve } from "node:path";
import type { Json } from "../json.js";
import { isAddress } from "../kinds/names.js";
import { checkAccess } from "./check-access.js";
import { apiConfig } from "./api-config.js";
import type { Config, ConfigInput, MaxDeletes } from "./config.js";
import { configTarget } from "./config-target.js";
import { findConfig } from "./find-config.js";
import { parseMaxDeletes } from "./parse-max-deletes.js";
import { parseVariables } from "./parse-variables.js";
import { parseConfigFile, readConfigFile, type ConfigFile } from "./read-yaml-config.js";
import { selectEnvironment, type EffectiveDocument } from "./select-environment.js";
import { badSetting, refuseEmptyVariables, setting, type Setting } from "./setting.js";

/**
 * The configuration: flags beat the environment, which beats the file, which beats the defaults. No file is fine.
 * @throws ConfigProblems for errors in the file, with their places; EdgewiseError `config` or `usage` for the rest
 */
export async function loadConfig(input: ConfigInput): Promise<Config> {
  const { cwd, env, flags } = input;
  refuseEmptyVariables(env);
  const file = await findConfig(input);
  const source = file === null ? null : await configFileOf(file, input);
  // The text of another commit is not what is on disk.
  const warnings = file === null || input.text !== undefined ? [] : await checkAccess(file);
  const environment = setting(flags.environment, "--environment", env, "EDGEWISE_ENVIRONMENT");
  const document = selectEnvironment(source?.document ?? null, environment);
  const root = file === null ? resolve(cwd) : dirname(file);
  const fromFlags = flags.file !== undefined && flags.file.length > 0;
  const given = parseVariables(flags.var ?? []);
  const stack = stackOf(document, setting(flags.stack, "--stack", env, "EDGEWISE_STACK"));
  return {
    file,
    root,
    environment: environment?.value ?? null,
    stack,
    patterns: (fromFlags ? flags.file : document.manifests) ?? [],
    patternBase: fromFlags ? resolve(cwd) : root,
    fromFlags,
    api: apiConfig(input, document.api ?? {}, source, environment?.value ?? null),
    variables: { ...variablesOf(document), ...given },
    untyped: new Set(Object.keys(given)),
    guards: { maxDeletes: maxDeletesOf(document, flags.maxDeletes), allow: allowOf(document, flags.allow ?? []) },
    adopt: adoptOf(document),
    previousStacks: (document.previousStacks ?? []).filter((name) => name !== stack),
    warnings,
  };
}

async function configFileOf(file: string, { cwd, env, flags, text }: ConfigInput): Promise<ConfigFile> {
  // Links are not followed in another commit.
  if (text !== undefined) return parseConfigFile(text, basename(file));
  const named = setting(flags.config, "--config", env, "EDGEWISE_CONFIG") !== null;
  return readConfigFile(file, configTarget(file, cwd, named));
}

function stackOf(document: EffectiveDocument, given: Setting | null): string | null {
  if (given === null) return document.stack ?? null;
  if (/^[^\s\p{C}](.*[^\s\p{C}])?$/u.test(given.value) && given.value.length <= 200) return given.value;
  throw badSetting(
    given,
    "is no name of a stack",
    "A stack's name has at most 200 characters, no blanks at its ends and no control characters.",
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
    throw badSetting(given, `${JSON.stringify(wrong)} is no address`, "An address is Kind/name, like TLSEdge/api.");
  }
  return [...new Set([...(document.guards?.allow ?? []), ...flags])];
}

/** What YAML gave is JSON. */
function variablesOf(document: EffectiveDocument): { readonly [name: string]: Json } {
  return (document.variables ?? {}) as { readonly [name: string]: Json };
}

/** An id that is null (in an environment) takes back what stands below it. */
function adoptOf(document: EffectiveDocument): { readonly [address: string]: string } {
  const ids: { [address: string]: string } = {};
  for (const [address, id] of Object.entries(document.adopt ?? {})) if (typeof id === "string") ids[address] = id;
  return ids;
}
