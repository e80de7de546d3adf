import { dirname, relative, resolve } from "node:path";
import { readSettings } from "../config/checked-file.js";
import { configTarget, findConfig } from "../config/find-config.js";
import { mergeObjects } from "../config/config.js";
import { LineIndex } from "../diagnostics/line-index.js";
import { decodeUtf8 } from "../files/read-bounded.js";
import { isObject } from "../json.js";
import { type Address, isAddress } from "../kinds/names.js";
import { findFiles } from "../manifest/find-files.js";
import { cutDocuments } from "../yaml/top-level-members.js";
import { type FillIns, filledIn } from "./fill-in.js";
import { quickTree } from "./quick-tree.js";
import type { ScanBudget } from "./scan-budget.js";

/** What decides which configuration and manifests are read: as typed on the line, and the environment of the shell. */
export interface ProjectInput {
  /** Absolute. */
  readonly cwd: string;
  readonly env: { readonly [name: string]: string | undefined };
  /** The values of flags, by their long names. */
  readonly given: ReadonlyMap<string, readonly string[]>;
  readonly budget: ScanBudget;
}

/** The members of a configuration, those of the chosen environment laid over them. Nothing in it has been checked. */
export interface ProjectConfig {
  /** The directory that manifests are confined to, absolute. */
  readonly root: string;
  readonly member: (name: string) => unknown;
  /** The members of each environment. */
  readonly environments: ReadonlyMap<string, unknown>;
  /** The stack without an environment. */
  readonly stack: unknown;
}

/** A manifest as far as it is offered. */
export interface NamedManifest {
  readonly address: Address;
  /** `edge/api.yaml:3` */
  readonly place: string;
  readonly labels: ReadonlyMap<string, string>;
}

/**
 * The configuration of a line: the file that `-c`, `EDGEWISE_CONFIG` or the search finds, by the rules for loading it. A
 * configuration that can't be read is like none. Never throws.
 */
export function readProjectConfig({ cwd, env, given }: ProjectInput): ProjectConfig {
  const config = given.get("--config")?.at(-1);
  const named = config ?? env["EDGEWISE_CONFIG"];
  const read = attempt(() => {
    const file = findConfig({ cwd, env, flags: config === undefined ? {} : { config } });
    if (file === null) return null;
    const { path } = configTarget(file, cwd, named !== undefined);
    const [document] = cutDocuments(readSettings(path, ""));
    return document === undefined ? null : { root: dirname(file), document };
  });
  const base = (name: string): unknown => read?.document.member(name);
  const environments = new Map(entriesOf(base("environments")));
  const chosen = environments.get(given.get("--environment")?.at(-1) ?? env["EDGEWISE_ENVIRONMENT"] ?? "");
  const over = isObject(chosen) ? chosen : {};
  return {
    root: read?.root ?? cwd,
    member: (name) => (Object.hasOwn(over, name) ? mergeObjects(base(name), over[name]) : base(name)),
    environments,
    stack: base("stack"),
  };
}

/**
 * The manifests that the line selects: those of `-f`, else those of the configuration. Reads no content files and checks
 * nothing; a file or document that can't be read is left out, and so is all that comes after the budget is spent.
 * @param typed what is typed of an address: files that have its name in theirs are read first
 */
export async function readNamedManifests(
  input: ProjectInput,
  config: ProjectConfig,
  typed = "",
): Promise<readonly NamedManifest[]> {
  const { budget, cwd, given } = input;
  const files = given.get("--file") ?? [];
  const patterns = files.length > 0 ? files : textsOf(config.member("manifests"));
  const tree = quickTree(config.root, budget);
  const base = files.length > 0 ? resolve(cwd) : config.root;
  const found = await findFiles(tree, patterns, base, null, budget.limits.globSteps).catch(() => ({ files: [] }));
  const name = typed.slice(typed.indexOf("/") + 1);
  const values = fillIns(input, config);
  const isLikely = (file: string): boolean => file.includes(name);
  const named = new Map<Address, NamedManifest>();
  for (const file of [...found.files.filter(isLikely), ...found.files.filter((each) => !isLikely(each))]) {
    if (budget.spent || named.size >= budget.limits.count) break;
    const content = tree.bytesOf(file);
    const text = content === null ? null : decodeUtf8(content);
    if (text === null) continue;
    budget.spend(text.length);
    const place = relative(cwd, resolve(config.root, file));
    for (const manifest of manifestsIn(text, place, values, budget)) {
      if (!named.has(manifest.address)) named.set(manifest.address, manifest);
      if (named.size >= budget.limits.count) break;
    }
  }
  return [...named.values()];
}

/** Variables of the configuration and of the line. */
function fillIns({ env, given }: ProjectInput, config: ProjectConfig): FillIns {
  const typed = (given.get("--var") ?? []).map((text): readonly [string, string] => {
    const equals = text.indexOf("=");
    return [text.slice(0, equals), text.slice(equals + 1)];
  });
  const vars = new Map<string, unknown>([...entriesOf(config.member("variables")), ...typed]);
  return { vars: (name) => vars.get(name), env: (name) => env[`EDGEWISE_VAR_${name}`] };
}

function* manifestsIn(text: string, file: string, values: FillIns, budget: ScanBudget): Generator<NamedManifest> {
  let lines: LineIndex | undefined;
  for (const document of cutDocuments(text, () => !budget.spent)) {
    if (budget.spent) return;
    const kind = document.member("kind");
    const metadata = document.member("metadata");
    const named = isObject(metadata) ? metadata["name"] : undefined;
    const name = typeof named === "string" ? filledIn(named, values) : null;
    if (typeof kind !== "string" || name === null || !nameForm.test(name)) continue;
    const address = `${kind}/${name}`;
    if (!isAddress(address)) continue;
    lines ??= new LineIndex(text);
    const labels = isObject(metadata) ? entriesOf(metadata["labels"]) : [];
    yield {
      address,
      place: `${file}:${lines.position(document.start).line}`,
      labels: new Map(
        labels.flatMap(([label, value]) => {
          // Labels are shown: what is set for this process alone may be confidential.
          const filled = typeof value === "string" ? filledIn(value, { ...values, env: () => undefined }) : null;
          return filled === null ? [] : [[label, filled]];
        }),
      ),
    };
  }
}

/** The names that manifests may have. */
const nameForm = /^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?$/u;

/** The texts of a list of which nothing is known. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** The members of a map of which nothing is known. */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isObject(value) ? Object.entries(value) : [];
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
