import { type FleetAccount, type FleetEntry, type StackTarget, accountIdentity } from "./fleet.js";
import { fillIn, matchOf } from "./same-stacks.js";

/** A configuration that a commit holds, and what the entry's `*` matched; "" for an entry without a pattern. */
export interface FoundConfig {
  readonly path: string;
  readonly match: string;
}

/** Why a stack is not kept. */
export interface TargetProblem {
  /** The stack's name; for a match that can't be part of a name, what the name would be. */
  readonly name: string;
  /** What is wrong, and the line of the fleet file. */
  readonly message: string;
  readonly remedy: string;
}

/** The stacks of the fleet, and what stands in their way. */
export interface Expansion {
  readonly targets: readonly StackTarget[];
  readonly problems: readonly TargetProblem[];
}

/**
 * The stacks that entries stand for: one for an entry with `config`, whether the commit holds that or not, and one for
 * each configuration that a pattern matches. A match that makes no name is refused by name, never left out silently.
 * @param configs what the commits of the entries hold, by the entry's name; an entry that is missing has no commit yet
 */
export function expandEntries(
  entries: readonly FleetEntry[],
  configs: ReadonlyMap<string, readonly FoundConfig[]>,
): Expansion {
  const targets: StackTarget[] = [];
  const problems: TargetProblem[] = [];
  for (const entry of entries) {
    if ("path" in entry.config) {
      const { name, stack, secrets } = entry;
      targets.push({ name, entry, config: entry.config.path, stack, secrets });
      continue;
    }
    for (const { path, match } of configs.get(entry.name) ?? []) {
      const found = targetOf(entry, entry.config.pattern, path, match);
      if ("message" in found) problems.push(found);
      else targets.push(found);
    }
  }
  return { targets, problems };
}

function targetOf(entry: FleetEntry, pattern: string, path: string, match: string): StackTarget | TargetProblem {
  const name = `${entry.name}/${match}`;
  const place = `${entry.place.file}:${entry.place.line}:${entry.place.column}`;
  const problem = (what: string, remedy: string): TargetProblem => ({
    name,
    message: `${JSON.stringify(path)}, which configs of stacks.${entry.name} (${place}) matches, ${what}`,
    remedy,
  });
  const wrong = matchOf(pattern, path) === match ? refProblem(match) : "is not what its * matched";
  if (wrong !== null) {
    return problem(`makes no name for a stack: ${JSON.stringify(match)} ${wrong}`, "Rename it in the source.");
  }
  const stack = entry.stack === null ? null : fillIn(entry.stack, match);
  if (stack !== null && stack.length > 200) {
    return problem(
      "makes a marker of more than 200 characters",
      "Shorten its name in the source, or the entry's stack.",
    );
  }
  const secrets = entry.secrets === null ? null : fillIn(entry.secrets, match);
  return { name, entry, config: path, stack, secrets };
}

/** Why a text can't be a component of a Git ref, as `git check-ref-format` has it; null when it can. */
export function refProblem(text: string): string | null {
  if (/[\s\p{C}~^:?*[\]\\/]/u.test(text)) {
    return "contains a blank, a control character, or one of ~ ^ : ? * [ ] \\ /";
  }
  if (/\.\.|@\{/.test(text)) return "contains .. or @{";
  if (/^\.|\.$|\.lock$/.test(text)) return "begins or ends with a dot, or ends with .lock";
  if (text === "" || text === "@") return "is not enough of a name";
  return text.length > 100 ? "is longer than 100 characters" : null;
}

/** What a stack claims, once its configuration is known. */
export interface StackClaim {
  readonly target: StackTarget;
  readonly account: FleetAccount;
  /** Null = it is not known, because the configuration can't be read. */
  readonly marker: string | null;
  /** Former markers whose resources it takes. */
  readonly previousStacks: readonly string[];
}

/**
 * The stacks that claim what another one claims: the name, the marker (or a former one) in the same account, or an HTTPS
 * edge. All of them are named: the order in a file must not decide to whom a resource belongs. Only a marker that the fleet file
 * gives to one of them stays with that one: what a repository writes must not stop it.
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
      hold(
        ["marker", accountIdentity(account), stack],
        `the marker ${JSON.stringify(stack)} in accounts.${account.name}`,
        target,
        stack,
      );
    }
    for (const id of target.entry.allow.modulesOf) hold(["https", id], `the modules of ${id}`, target);
  }
  return [...holders.values()].flatMap(({ what, by, marker }) => {
    const all = [...by];
    const [owner, second] = all.filter(({ stack }) => stack !== null && stack === marker);
    const failing = second === undefined ? all.filter((target) => target !== owner) : all;
    // Thousands may claim one thing: each names a few.
    const some = all.slice(0, mostNamed + 1);
    return all.length < 2 ? [] : failing.map((target) => twice(target, what, { some, others: all.length - 1 }));
  });
}

/** How many of the others a message names. */
const mostNamed = 3;

function twice(
  target: StackTarget,
  what: string,
  by: { readonly some: readonly StackTarget[]; readonly others: number },
): TargetProblem {
  const named = by.some.filter((other) => other !== target).slice(0, mostNamed);
  const shown = named.map(({ name, entry }) => `${name} (${entry.place.file}:${entry.place.line})`).join(", ");
  const more = by.others - named.length;
  const { file, line, column } = target.entry.place;
  return {
    name: target.name,
    message: `${target.name} claims ${what}, which ${shown}${more > 0 ? ` and ${more} more` : ""} claims too`,
    remedy: `Each would delete what the other makes. Let one stack have it: correct the entry at ${file}:${line}:${column}, or the configurations.`,
  };
}
