import { isDeepStrictEqual } from "node:util";
import {
  type FleetAccount,
  type FleetEntry,
  type StackTarget,
  accountIdentity,
  isPattern,
  lineOf,
  placeText,
} from "./fleet.js";
import type { DocumentPath } from "../../core/document-path.js";

export function targetOfMatch(entry: FleetEntry, { match, path }: Readonly<{ match: string; path: string }>) {
  const filled = (template: string | null): string | null => template && fillIn(template, match);
  const stack = filled(entry.stack);
  const target: StackTarget = { name: `${entry.name}/${match}`, entry, config: path, stack, secrets: null };
  const isLong = stack !== null && stack.length > longestMarker;
  if (isRefPart(match) && !isLong) return { target: { ...target, secrets: filled(entry.secrets) }, problem: null };
  const why = isLong ? `makes a marker of more than ${longestMarker} characters` : "can't be part of a Git ref";
  const problem = `${JSON.stringify(path)}, a match of ${lineOf(entry)}, ${why}. Rename it in the source.`;
  return { target: { ...target, stack: null }, problem };
}

const longestMarker = 200;

export function isRefPart(text: string): boolean {
  const isPlain = /^[^\s\p{C}~^:?*[\]\\/]{1,100}$/u.test(text) && text !== "@";
  return isPlain && !/\.\.|@\{|^\.|\.$|\.lock$/u.test(text);
}

function fillIn(template: string, match: string): string {
  return template.replaceAll("*", () => match);
}

export type StackClaim = Readonly<{
  target: StackTarget;
  account: FleetAccount;
  marker: string | null;
  previousStacks: readonly string[];
}>;

const mostNamed = 3;

/** All that claim one thing fail, but for the one to which the fleet file gives the marker: a repository must not stop it. */
export function claimProblems(claims: readonly StackClaim[]): readonly (readonly [stack: string, message: string])[] {
  const holders = new Map<string, Readonly<{ what: string; by: Set<StackTarget>; marker: string }>>();
  const hold = (key: readonly string[], what: string, target: StackTarget, marker = ""): void => {
    const text = JSON.stringify(key);
    const holder = holders.get(text) ?? { what, by: new Set(), marker };
    holder.by.add(target);
    holders.set(text, holder);
  };
  for (const { target, account, marker, previousStacks } of claims) {
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
    return failing.map((target): readonly [string, string] => {
      const { entry, name } = target;
      const others = all.slice(0, mostNamed + 1).filter((other) => other !== target);
      const named = others.slice(0, mostNamed).map((other) => `${other.name} (${placeText(other.entry.place)})`);
      const more = all.length - 1 - named.length;
      const also = `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
      const remedy = `Each would delete what the other makes: correct the entry at ${placeText(entry.place)}, or the configurations.`;
      return [name, `${name} claims ${what}, which ${also} claims too. ${remedy}`];
    });
  });
}

export function reportSameStacks(
  entries: readonly FleetEntry[],
  accounts: ReadonlyMap<string, FleetAccount>,
  report: (path: DocumentPath, message: string) => void,
): void {
  const firsts = new Map<string, FleetEntry>();
  const firstWith = (key: unknown, entry: FleetEntry): FleetEntry | null => {
    const text = JSON.stringify(key);
    const first = firsts.get(text) ?? entry;
    firsts.set(text, first);
    return first === entry ? null : first;
  };
  const groupOf = ({ account: name, environment, source }: FleetEntry): readonly (string | null)[] => {
    const account = accounts.get(name);
    return [account === undefined ? name : accountIdentity(account), source, environment];
  };
  const patterns = entries.filter(isPattern);
  for (const entry of entries) {
    const { allow, config, name, stack } = entry;
    const twice = (members: DocumentPath, message: string): void => report(["stacks", name, ...members], message);
    const group = groupOf(entry);
    const marked = isPattern(entry) || stack === null ? null : firstWith([group[0], stack], entry);
    if (marked !== null) twice(["stack"], `is also the marker of stacks.${marked.name}, in the same account`);
    for (const [at, id] of allow.modulesOf.entries()) {
      const owner = firstWith(["https", id], entry);
      if (owner === null) continue;
      const whose = `whose modules stacks.${owner.name} (line ${owner.place.line}) may manage: only one stack may`;
      twice(["allow", "modulesOf", at], `is ${id}, ${whose}`);
    }
    const equal = firstWith([...group, config], entry);
    const isOther = (many: FleetEntry) => matches(many, entry) && isDeepStrictEqual(groupOf(many), group);
    const matching = isPattern(entry) ? undefined : patterns.find(isOther);
    const same = equal !== null && canBeOne(equal.stack, stack) ? equal : matching;
    if (same === undefined) continue;
    const message = `is also in stacks.${same.name} (line ${same.place.line}), with the same account and environment`;
    twice([isPattern(entry) ? "configs" : "config"], message);
  }
}

function matches(many: FleetEntry, one: FleetEntry): boolean {
  const [before = "", after = ""] = many.config.split("*");
  const match = one.config.slice(before.length, one.config.length - after.length);
  if (match === "" || match.includes("/") || one.config !== fillIn(many.config, match)) return false;
  return canBeOne(one.stack, many.stack && fillIn(many.stack, match));
}

function canBeOne(a: string | null, b: string | null): boolean {
  return a === null || b === null || a === b;
}
