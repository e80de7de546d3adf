import { basename, dirname, relative, resolve } from "node:path";
import { parseDuration } from "../core/duration.js";
import { misuse } from "../core/errors.js";
import { isObject } from "../core/json.js";
import type { DocumentPath } from "../core/document-path.js";
import { cut } from "../core/text.js";
import { remedies } from "../diagnostics/codes.js";
import { suggest } from "../diagnostics/suggest.js";
import { configDefaults } from "../generated/config-defaults.js";
import type { ConfigDocument } from "../generated/config-types.js";
import { addressExample, isAddress } from "../kinds/names.js";
import type { MaxDeletes } from "../plan/plan-context.js";
import { type MemberError, apiConfig, waits } from "./api-config.js";
import { type ConfigFile, parseConfigFile, readConfigFile, writtenAt } from "./checked-file.js";
import { type Config, type ConfigInput, type ConfiguredPolicy, mergeObjects, parseMaxDeletes } from "./config.js";
import { checkAccess, configName, configTarget, findConfig } from "./find-config.js";
import { type Setting, badSetting, refuseEmptyVariables, setting } from "./setting.js";

/** Flags beat the environment, which beats the file, which beats the defaults; the file is optional. */
export async function loadConfig(input: ConfigInput): Promise<Config> {
  const { committed, cwd, env } = input;
  refuseEmptyVariables(env);
  if (committed !== undefined) {
    const source = committed === null ? null : parseConfigFile(committed.text, basename(committed.file));
    return mergeConfig(committed?.file ?? null, source, input);
  }
  const file = findConfig(input);
  if (file === null) return mergeConfig(null, null, input);
  const named = setting("config", input) !== null;
  const source = readConfigFile(file, configTarget(file, cwd, named));
  checkAccess(file);
  return mergeConfig(file, source, input);
}

export function mergeConfig(
  file: string | null,
  source: ConfigFile | null,
  input: Pick<ConfigInput, "cwd" | "env" | "flags" | "offline">,
): Config {
  const { cwd, flags } = input;
  const chosen = setting("environment", input);
  const environment = chosen?.value ?? null;
  const document = selectEnvironment(source, chosen, file === null ? configName : relative(cwd, file), cwd);
  const root = file === null ? resolve(cwd) : dirname(file);
  const fromFlags = flags.file !== undefined && flags.file.length > 0;
  const given = parseVariables(flags.var ?? []);
  const stack = stackOf(document, setting("stack", input));
  const memberError = errorsIn(source, environment);
  const manifestsAt = source === null ? [] : writtenAt(source, environment, ["manifests"]);
  return {
    file,
    root,
    environment,
    environments: Object.keys(source?.document.environments ?? {}),
    stack,
    patterns: (fromFlags ? flags.file : document.manifests) ?? [],
    patternBase: fromFlags ? resolve(cwd) : root,
    fromFlags,
    api: apiConfig(input, document.api ?? {}, root, memberError),
    // Values that were parsed from YAML are JSON.
    variables: { ...(document.variables as Config["variables"] | null | undefined), ...given },
    untyped: new Set(Object.keys(given)),
    guards: { maxDeletes: maxDeletesOf(document, flags.maxDeletes), allow: allowOf(document, flags.allow ?? []) },
    // A null id (in an environment) removes the entry that it overrides.
    adopt: Object.fromEntries(
      Object.entries(document.adopt ?? {}).flatMap(([address, id]) => (id ? [[address, id]] : [])),
    ),
    previousStacks: (document.previousStacks ?? []).filter((name) => name !== stack),
    lock: lockOf(document, memberError),
    policies: source === null ? [] : policiesOf(source, environment),
    tolerate: document.drift?.tolerate ?? [],
    notify: (document.notify ?? []).map(({ on, secret, type, url }) => ({
      url: url.env,
      type: type ?? "slack",
      secret: secret?.env ?? null,
      on: on ?? ["applied", "failed", "drift"],
    })),
    ...(source === null || fromFlags ? {} : { patternPlace: (index) => source.textAt([...manifestsAt, index]) }),
  };
}

function errorsIn(source: ConfigFile | null, environment: string | null): MemberError {
  return (path, code, problem, remedy) => {
    const message = `${path.join(".")} ${problem}`;
    // Without a file there are only defaults, which are valid.
    if (source === null) return new RangeError(message);
    return source.problems([{ path: writtenAt(source, environment, path), code, message, remedy }]);
  };
}

function lockOf({ lock }: EffectiveDocument, memberError: MemberError): Config["lock"] {
  const settle = (isObject(lock) ? lock.settle : null) ?? null;
  const form = { ...waits, range: { least: 0, most: 24 * 3_600_000 } };
  const settleMs = settle === null ? configDefaults.lock.settle : parseDuration(settle, form);
  if (settleMs !== null) return { wanted: lock === true || isObject(lock), settleMs };
  throw memberError(["lock", "settle"], "out-of-range", "must be at most 24h", "Use a shorter duration.");
}

function stackOf(document: EffectiveDocument, given: Setting | null): string | null {
  if (given === null) return document.stack ?? null;
  if (/^[^\s\p{C}](.*[^\s\p{C}])?$/u.test(given.value) && given.value.length <= 200) return given.value;
  const remedy = "A stack name has at most 200 characters, no control characters, and no blanks at its ends.";
  throw badSetting(given, "is not a valid stack name", remedy);
}

function maxDeletesOf(document: EffectiveDocument, flag: string | undefined): MaxDeletes | null {
  const fromFile = document.guards?.maxDeletes ?? null;
  if (flag === undefined) return fromFile === null ? null : parseMaxDeletes(fromFile);
  const parsed = parseMaxDeletes(flag);
  if (parsed !== null) return parsed;
  throw misuse("--max-deletes is neither a number nor a percentage", "Write a whole number like 5, or 25%.");
}

function allowOf(document: EffectiveDocument, flags: readonly string[]): readonly string[] {
  const wrong = flags.find((address) => !isAddress(address));
  if (wrong !== undefined)
    throw misuse(`--allow ${JSON.stringify(wrong)} is not an address`, `Write Kind/name, like ${addressExample}.`);
  return [...new Set([...(document.guards?.allow ?? []), ...flags])];
}

type EffectiveDocument = Omit<ConfigDocument, "apiVersion" | "kind" | "environments">;

function selectEnvironment(
  source: ConfigFile | null,
  chosen: Setting | null,
  file: string,
  cwd: string,
): EffectiveDocument {
  const names = `names the environment ${JSON.stringify(chosen?.value)}`;
  if (source === null) {
    if (chosen === null) return {};
    const remedy = "Run in the configuration's directory or below, or name it with -c.";
    throw badSetting(chosen, `${names}, but there is no ${configName} in ${cwd} or above it`, remedy);
  }
  const { environments, apiVersion: _version, kind: _kind, ...base } = source.document;
  if (chosen === null) return base;
  const all = environments ?? {};
  if (Object.hasOwn(all, chosen.value)) return mergeObjects(base, all[chosen.value] ?? {}) as EffectiveDocument;
  const available = Object.keys(all);
  const near = suggest(chosen.value, available);
  const known = available.length === 0 ? "It has none." : `Available environments: ${available.join(", ")}.`;
  const remedy = near === null ? known : `Did you mean ${near}? ${known}`;
  throw badSetting(chosen, `${names}, which ${file} does not have`, remedy);
}

/** An environment adds policies and can't take any away. Two with one name are an error, in whatever environment. */
function policiesOf(file: ConfigFile, environment: string | null): readonly ConfiguredPolicy[] {
  const { environments, policies } = file.document;
  const ofFile = added([], policies, ["policies"], file);
  const all = Object.entries(environments ?? {}).map(
    ([name, overlay]) => [name, added(ofFile, overlay?.policies, ["environments", name, "policies"], file)] as const,
  );
  return all.find(([name]) => name === environment)?.[1] ?? ofFile;
}

function added(
  before: readonly ConfiguredPolicy[],
  entries: ConfigDocument["policies"],
  at: DocumentPath,
  file: ConfigFile,
): readonly ConfiguredPolicy[] {
  const all = [...before];
  for (const [index, { effect = "deny", expression, message, name, tests }] of (entries ?? []).entries()) {
    const words = cut(expression.trim().replaceAll(/\s+/gu, " "), 200);
    const policy: ConfiguredPolicy = {
      name,
      expression,
      message: message ?? `its expression is true: ${words}`,
      effect,
      tests: tests ?? [],
      problem(wrong, code = "policy-expression") {
        const path = [...at, index, code === "policy-name" ? "name" : "expression"];
        return file.problems([{ path, code, message: `policy ${name}: ${wrong}`, remedy: remedies[code] }]);
      },
    };
    if (all.some((each) => each.name === name)) throw policy.problem("another one has this name", "policy-name");
    all.push(policy);
  }
  return all;
}

function parseVariables(flags: readonly string[]): { readonly [name: string]: string } {
  const entries = flags.map((flag): readonly [string, string] => {
    const equals = flag.indexOf("=");
    if (equals === -1) throw misuse("--var needs a name and a value", "Write --var NAME=VALUE.");
    const name = flag.slice(0, equals);
    const remedy = "A name has letters, digits, '_' and '-', and begins with a letter or '_'.";
    if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(name))
      throw misuse(`--var ${JSON.stringify(name)} is not a valid variable name`, remedy);
    return [name, flag.slice(equals + 1)];
  });
  return Object.fromEntries(entries);
}
