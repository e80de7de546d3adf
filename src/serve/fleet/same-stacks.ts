import type { DocumentPath } from "../../core/document-path.js";
import type { FleetReport } from "./fleet-report.js";
import { type FleetAccount, type FleetEntry, accountIdentity } from "./fleet.js";

/**
 * What a pattern's `*` stands for in a path; null when the path doesn't match. `*` stands for one or more characters
 * that are no `/`.
 */
export function matchOf(pattern: string, path: string): string | null {
  const star = pattern.indexOf("*");
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  const inside = path.length > before.length + after.length && path.startsWith(before) && path.endsWith(after);
  const match = inside ? path.slice(before.length, path.length - after.length) : "";
  return match === "" || match.includes("/") ? null : match;
}

/** The text with what the pattern matched in place of every `*`. */
export function fillIn(template: string, match: string): string {
  return template.replaceAll("*", () => match);
}

/**
 * Reports entries that are one stack, as far as the file alone tells: the same marker in one account; the same
 * configuration and environment; one HTTPS edge whose modules two stacks may manage. What only a commit tells is found
 * by `claimProblems`.
 */
export function reportSameStacks(
  entries: readonly FleetEntry[],
  accounts: ReadonlyMap<string, FleetAccount>,
  report: FleetReport,
): void {
  const markers = new Map<string, FleetEntry>();
  const owners = new Map<string, FleetEntry>();
  const groups = new Map<string, EntryGroup>();
  for (const entry of entries) {
    const account = accounts.get(entry.account);
    const where = account === undefined ? entry.account : accountIdentity(account);
    const marker = "path" in entry.config && entry.stack !== null ? JSON.stringify([where, entry.stack]) : null;
    const marked = marker === null ? undefined : firstOf(markers, marker, entry);
    if (marked !== undefined) {
      reportTwice(entry, ["stack"], `is also the marker of stacks.${marked.name}, in the same account`, report);
    }
    for (const [index, id] of entry.allow.modulesOf.entries()) {
      const owner = firstOf(owners, id, entry);
      if (owner === undefined || owner === entry) continue;
      const message = `is ${id}, whose modules stacks.${owner.name} (line ${owner.place.line}) may manage: only one stack may`;
      reportTwice(entry, ["allow", "modulesOf", index], message, report);
    }
    const key = JSON.stringify([where, entry.source, entry.environment]);
    const group = groups.get(key) ?? new EntryGroup();
    groups.set(key, group);
    const same = group.add(entry);
    if (same === undefined) continue;
    const message = `is also in stacks.${same.name} (line ${same.place.line}), with the same account and environment`;
    reportTwice(entry, ["pattern" in entry.config ? "configs" : "config"], message, report);
  }
}

/** The first entry with a key; undefined when this is it. */
function firstOf(found: Map<string, FleetEntry>, key: string, entry: FleetEntry): FleetEntry | undefined {
  const first = found.get(key);
  if (first === undefined) found.set(key, entry);
  return first;
}

/** The entries of one source, account and environment. */
class EntryGroup {
  readonly #byConfig = new Map<string, FleetEntry[]>();
  readonly #all: { readonly paths: FleetEntry[]; readonly patterns: FleetEntry[] } = { paths: [], patterns: [] };

  /** @returns an earlier entry that is one stack with it, given that its configuration exists */
  add(entry: FleetEntry): FleetEntry | undefined {
    const isPattern = "pattern" in entry.config;
    const config = "pattern" in entry.config ? entry.config.pattern : entry.config.path;
    const same = this.#byConfig.get(config) ?? [];
    const others = isPattern ? this.#all.paths : this.#all.patterns;
    const found = same.find((each) => canBeOne(each.stack, entry.stack)) ?? others.find((each) => overlap(each, entry));
    this.#byConfig.set(config, [...same, entry]);
    (isPattern ? this.#all.patterns : this.#all.paths).push(entry);
    return found;
  }
}

function reportTwice(entry: FleetEntry, members: DocumentPath, message: string, report: FleetReport): void {
  report.add(["stacks", entry.name, ...members], "fleet-stack-twice", message);
}

/** Whether the path of one is matched by the pattern of the other, and both can have one marker. */
function overlap(a: FleetEntry, b: FleetEntry): boolean {
  const [one, many] = "path" in a.config ? [a, b] : [b, a];
  if (!("path" in one.config) || !("pattern" in many.config)) return false;
  const match = matchOf(many.config.pattern, one.config.path);
  return match !== null && canBeOne(one.stack, many.stack === null ? null : fillIn(many.stack, match));
}

/** Null = what the configuration says, which may be anything. */
function canBeOne(a: string | null, b: string | null): boolean {
  return a === null || b === null || a === b;
}
