import { type FleetAccount, type FleetEntry, type StackTarget, accountIdentity, lineOf, placeText } from "./fleet.js";
import type { FleetReport } from "./fleet-report.js";

export interface FoundConfig {
  readonly path: string;
  readonly match: string;
}

export interface TargetProblem {
  readonly name: string;
  readonly message: string;
  readonly remedy: string;
}

export interface Expansion {
  readonly targets: readonly StackTarget[];
  readonly problems: readonly TargetProblem[];
}

/**
 * The stacks that entries stand for: one for an entry with `config`, whether the commit holds that or not, and one for
 * each configuration that a pattern matches.
 */
export function expandEntries(
  entries: readonly FleetEntry[],
  configs: ReadonlyMap<string, readonly FoundConfig[]>,
): Expansion {
  const targets: StackTarget[] = [];
  const problems: TargetProblem[] = [];
  for (const entry of entries) {
    const { config, name, secrets, stack } = entry;
    if ("path" in config) targets.push({ name, entry, config: config.path, stack, secrets });
    else
      for (const found of configs.get(name) ?? []) {
        const problem = matchProblem(entry, config.pattern, found);
        if (problem === null) targets.push(targetOfMatch(entry, found));
        else problems.push(problem);
      }
  }
  return { targets, problems };
}

function targetOfMatch(entry: FleetEntry, { match, path }: FoundConfig): StackTarget {
  const filled = (template: string | null): string | null => (template === null ? null : fillIn(template, match));
  const { name, secrets, stack } = entry;
  return { name: `${name}/${match}`, entry, config: path, stack: filled(stack), secrets: filled(secrets) };
}

function matchProblem(entry: FleetEntry, pattern: string, { match, path }: FoundConfig): TargetProblem | null {
  const { name, stack } = entry;
  const problem = (what: string, remedy: string): TargetProblem => ({
    name: `${name}/${match}`,
    message: `${JSON.stringify(path)}, which configs of ${lineOf(entry)} matches, ${what}`,
    remedy,
  });
  const wrong = matchOf(pattern, path) === match ? refProblem(match) : "is not what its * matched";
  if (wrong !== null)
    return problem(`makes no name for a stack: ${JSON.stringify(match)} ${wrong}`, "Rename it in the source.");
  if (stack === null || fillIn(stack, match).length <= longestMarker) return null;
  const remedy = "Shorten its name in the source, or the entry's stack.";
  return problem(`makes a marker of more than ${longestMarker} characters`, remedy);
}

const longestMarker = 200;

/** Why a text can't be a component of a Git ref, as `git check-ref-format` has it; null when it can. */
export function refProblem(text: string): string | null {
  if (/[\s\p{C}~^:?*[\]\\/]/u.test(text)) return "contains a blank, a control character, or one of ~ ^ : ? * [ ] \\ /";
  if (/\.\.|@\{/.test(text)) return "contains .. or @{";
  if (/^\.|\.$|\.lock$/.test(text)) return "begins or ends with a dot, or ends with .lock";
  if (text === "" || text === "@") return "is not enough of a name";
  return text.length > 100 ? "is longer than 100 characters" : null;
}

/**
 * What a pattern's `*` stands for in a path (one or more characters that are no `/`); null when the path doesn't match.
 */
function matchOf(pattern: string, path: string): string | null {
  const [before = "", after = ""] = pattern.split("*");
  const isInside = path.length > before.length + after.length && path.startsWith(before) && path.endsWith(after);
  const match = isInside ? path.slice(before.length, path.length - after.length) : "";
  return match === "" || match.includes("/") ? null : match;
}

export function fillIn(template: string, match: string): string {
  return template.replaceAll("*", () => match);
}

export interface StackClaim {
  readonly target: StackTarget;
  readonly account: FleetAccount;
  readonly marker: string | null;
  readonly previousStacks: readonly string[];
}

const mostNamed = 3;

/**
 * The stacks that claim what another one claims: the name, the marker (or a former one) in the same account, or an HTTPS
 * edge.
 */
export function claimProblems(claims: readonly StackClaim[]): readonly TargetProblem[] {
  const holders = new Map<string, { readonly what: string; readonly by: Set<StackTarget>; readonly marker?: string }>();
  const hold = (key: readonly string[], what: string, target: StackTarget, marker?: string): void => {
    const text = JSON.stringify(key);
    const holder = holders.get(text) ?? { what, by: new Set(), ...(marker === undefined ? {} : { marker }) };
    holder.by.add(target);
    holders.set(text, holder);
  };
  for (const { target, account, marker, previousStacks } of claims) {
    hold(["name", target.name], `the name ${target.name}`, target);
    for (const stack of new Set([...(marker === null ? [] : [marker]), ...previousStacks])) {
      const what = `the marker ${JSON.stringify(stack)} in accounts.${account.name}`;
      hold(["marker", accountIdentity(account), stack], what, target, stack);
    }
    for (const id of target.entry.allow.modulesOf) hold(["https", id], `the modules of ${id}`, target);
  }
  return [...holders.values()].flatMap(({ what, by, marker }) => {
    const all = [...by];
    if (all.length < 2) return [];
    const [owner, second] = all.filter(({ stack }) => stack !== null && stack === marker);
    const failing = second === undefined ? all.filter((target) => target !== owner) : all;
    return failing.map(({ entry, name }): TargetProblem => {
      const others = all.slice(0, mostNamed + 1).filter((other) => other.name !== name || other.entry !== entry);
      const named = others.slice(0, mostNamed);
      const shown = named.map((other) => `${other.name} (${other.entry.place.file}:${other.entry.place.line})`);
      const more = all.length - 1 - named.length;
      return {
        name,
        message: `${name} claims ${what}, which ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""} claims too`,
        remedy: `Each would delete what the other makes. Let one stack have it: correct the entry at ${placeText(entry.place)}, or the configurations.`,
      };
    });
  });
}

/**
 * Reports entries that are one stack, as far as the file alone tells: the same marker in one account; the same
 * configuration and environment; one HTTPS edge whose modules two stacks may manage.
 */
export function reportSameStacks(
  entries: readonly FleetEntry[],
  accounts: ReadonlyMap<string, FleetAccount>,
  report: FleetReport,
): void {
  const firsts = new Map<string, FleetEntry>();
  const firstWith = (key: unknown, entry: FleetEntry): FleetEntry | null => {
    const text = JSON.stringify(key);
    const first = firsts.get(text) ?? entry;
    firsts.set(text, first);
    return first === entry ? null : first;
  };
  const configs = new Map<string, FleetEntry[]>();
  const withConfig = (key: unknown): FleetEntry[] => {
    const text = JSON.stringify(key);
    const known = configs.get(text) ?? [];
    configs.set(text, known);
    return known;
  };
  for (const entry of entries) {
    const { config, environment, name, source, stack } = entry;
    const isPattern = "pattern" in config;
    const twice = (members: readonly (string | number)[], message: string): void =>
      report.add(["stacks", name, ...members], "fleet-stack-twice", message);
    const account = accounts.get(entry.account);
    const where = account === undefined ? entry.account : accountIdentity(account);
    const marked = isPattern || stack === null ? null : firstWith([where, stack], entry);
    if (marked !== null) twice(["stack"], `is also the marker of stacks.${marked.name}, in the same account`);
    for (const [index, id] of entry.allow.modulesOf.entries()) {
      const owner = firstWith(["https", id], entry);
      if (owner === null) continue;
      const whose = `whose modules stacks.${owner.name} (line ${owner.place.line}) may manage: only one stack may`;
      twice(["allow", "modulesOf", index], `is ${id}, ${whose}`);
    }
    const group = [where, source, environment];
    const equals = withConfig([...group, isPattern ? config.pattern : config.path]);
    const [paths, patterns] = [withConfig([...group, "paths"]), withConfig([...group, "patterns"])];
    const same =
      equals.find((other) => canBeOne(other.stack, stack)) ??
      (isPattern ? paths : patterns).find((other) => overlap(entry, other));
    equals.push(entry);
    (isPattern ? patterns : paths).push(entry);
    if (same === undefined) continue;
    const message = `is also in stacks.${same.name} (line ${same.place.line}), with the same account and environment`;
    twice([isPattern ? "configs" : "config"], message);
  }
}

function overlap(a: FleetEntry, b: FleetEntry): boolean {
  const [one, many] = "path" in a.config ? [a, b] : [b, a];
  if (!("path" in one.config) || !("pattern" in many.config)) return false;
  const match = matchOf(many.config.pattern, one.config.path);
  return match !== null && canBeOne(one.stack, many.stack === null ? null : fillIn(many.stack, match));
}

function canBeOne(a: string | null, b: string | null): boolean {
  return a === null || b === null || a === b;
}
