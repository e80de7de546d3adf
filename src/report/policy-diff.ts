import { type Json, type JsonObject, isObject } from "../json.js";
import { MASK } from "../secret.js";
import { count, listFew } from "../text/layout.js";
import { visibleLine } from "../text/visible.js";
import type { DiffLine, LineDiff } from "./line-diff.js";
import { isList, parsePolicy, policyLines } from "./values.js";

/** What is added to a policy's text when only a secret in it differs. */
const changedMark = `\n${MASK} changed`;

/**
 * The difference of two traffic policies, rule by rule: each hunk is named by phase, rule and action, and a rule that is
 * added or removed is one block. Null when one of them is no policy.
 * @param folds whether unchanged rules are kept in their places, to be unfolded, or only counted at the end
 */
export function policyDiff(before: Json, after: Json, diff: LineDiff, folds = false): readonly DiffLine[] | null {
  if (typeof before !== "string" || typeof after !== "string") return null;
  const isMarked = after.endsWith(changedMark);
  const from = parsePolicy(before);
  const to = parsePolicy(isMarked ? after.slice(0, -changedMark.length) : after);
  if (!isObject(from) || !isObject(to) || isList(from) || isList(to)) return null;
  const phases = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  const parts = phases.map((phase) => phaseDiff(phase, memberOf(from, phase), memberOf(to, phase), diff, folds));
  const unchanged = parts.reduce((sum, part) => sum + part.unchanged, 0);
  return [
    ...parts.flatMap(({ lines }) => lines),
    ...(isMarked ? [{ mark: "+", text: `${MASK} changed` } as const] : []),
    ...(unchanged > 0 && !folds ? [{ mark: "gap", text: unchangedRules(unchanged) } as const] : []),
  ];
}

function unchangedRules(n: number): string {
  return count(n, "unchanged rule");
}

/** The policy may come from anybody: no phase is inherited from an object's prototype. */
function memberOf(policy: JsonObject, phase: string): Json | undefined {
  return Object.hasOwn(policy, phase) ? policy[phase] : undefined;
}

interface PhaseDiff {
  readonly lines: readonly DiffLine[];
  /** How many rules are the same. */
  readonly unchanged: number;
}

function phaseDiff(
  phase: string,
  before: Json | undefined,
  after: Json | undefined,
  diff: LineDiff,
  folds: boolean,
): PhaseDiff {
  const isRules = (value: Json | undefined): value is readonly Json[] | undefined =>
    value === undefined || isList(value);
  if (!isRules(before) || !isRules(after) || (before ?? []).length + (after ?? []).length === 0) {
    const side = (value: Json | undefined): readonly string[] =>
      value === undefined ? [] : policyLines({ [phase]: value });
    const [from, to] = [side(before), side(after)];
    const lines =
      from.join("\n") !== to.join("\n") ? diff(from, to) : folds ? [foldOf(unchangedLines({ lines: to }))] : [];
    return { lines, unchanged: 0 };
  }
  const textOf = rememberingTexts();
  const rulesOf = (values: readonly Json[] = []): readonly Rule[] =>
    values.map((value, index) => ruleOf(value, index, textOf));
  const steps = withMoves(rulePairs(rulesOf(before), rulesOf(after)));
  const lines: DiffLine[] = [];
  let unchanged = 0;
  let folded: DiffLine[] = [];
  let run = 0;
  const fold = (): void => {
    if (run > 0) lines.push({ mark: "gap", text: unchangedRules(run), folded });
    [folded, run] = [[], 0];
  };
  for (const step of steps) {
    const { from, to } = step;
    if (!isChanged(step)) {
      unchanged += 1;
      if (!folds) continue;
      run += 1;
      folded.push(hunk(phase, step));
      for (const line of unchangedLines(to)) folded.push(line);
      continue;
    }
    fold();
    lines.push(hunk(phase, step));
    if (from?.text !== to?.text) for (const line of diff(from?.lines ?? [], to?.lines ?? [])) lines.push(line);
    else if (folds) lines.push(foldOf(unchangedLines(to)));
  }
  fold();
  return { lines, unchanged };
}

function isChanged({ from, to, moves }: RulePair): boolean {
  return moves === true || from?.text !== to?.text;
}

function unchangedLines(rule: Pick<Rule, "lines"> | undefined): readonly DiffLine[] {
  return (rule?.lines ?? []).map((text) => ({ mark: " ", text }) as const);
}

/** Lines that don't change, folded. */
function foldOf(folded: readonly DiffLine[]): DiffLine {
  return { mark: "gap", text: count(folded.length, "unchanged line"), folded };
}

/**
 * Joins a rule that is removed in one place and added in another: the order of rules counts, so that is a move, and its
 * text is shown only as far as it changed.
 */
function withMoves(pairs: readonly RulePair[]): readonly RulePair[] {
  const removed = pairs.flatMap(({ from, to }) => (from !== undefined && to === undefined ? [from] : []));
  const added = pairs.flatMap(({ from, to }) => (to !== undefined && from === undefined ? [to] : []));
  const origins = new Map<Rule, Rule>();
  const left = new Set(removed);
  const isSame = [
    (a: Rule, b: Rule): boolean => a.text === b.text,
    (a: Rule, b: Rule): boolean => nameOf(a) !== null && nameOf(a) === nameOf(b),
  ];
  if (removed.length * added.length <= mostComparisons) {
    for (const same of isSame) {
      for (const to of added) {
        const from = origins.has(to) ? undefined : [...left].find((rule) => same(rule, to));
        if (from === undefined) continue;
        origins.set(to, from);
        left.delete(from);
      }
    }
  }
  return pairs.flatMap((pair): readonly RulePair[] => {
    const { from, to } = pair;
    if (from !== undefined && to === undefined) return left.has(from) ? [pair] : [];
    const origin = to === undefined || from !== undefined ? undefined : origins.get(to);
    return origin === undefined || to === undefined ? [pair] : [{ from: origin, to, moves: true }];
  });
}

/** A rule as it is shown. */
interface Rule {
  readonly value: Json;
  /** Counts from 1. */
  readonly place: number;
  readonly lines: readonly string[];
  /** Equal for equal rules. */
  readonly text: string;
}

type RuleText = Pick<Rule, "lines" | "text">;

function ruleOf(value: Json, index: number, textOf: (value: Json) => RuleText): Rule {
  return { value, place: index + 1, ...textOf(value) };
}

/** The lines of rules. Most rules of a long policy are the same before and after: they are laid out once. */
function rememberingTexts(): (value: Json) => RuleText {
  const known = new Map<string, RuleText>();
  return (value) => {
    const key = JSON.stringify(value);
    const found = known.get(key);
    if (found !== undefined) return found;
    const lines = policyLines([value]);
    const made = { lines, text: lines.join("\n") };
    known.set(key, made);
    return made;
  };
}

/** `on_tcp_connect, rule "office only", deny`; `deny -> log` when its actions become others. */
function hunk(phase: string, { from, to, moves }: RulePair): DiffLine {
  const rule = to ?? from;
  const name = nameOf({ value: rule?.value ?? null });
  const called = name === null ? String(rule?.place ?? 0) : JSON.stringify(name);
  const [before, after] = [actionsOf(from ?? to), actionsOf(rule)];
  const actions = before === after ? after : `${before || "no action"} -> ${after || "no action"}`;
  const what = actions === "" ? "" : `, ${actions}`;
  const place = moves === true ? `: moves from place ${from?.place ?? 0} to ${to?.place ?? 0}` : "";
  return { mark: "hunk", text: visibleLine(`${phase}, rule ${called}${what}${place}`) };
}

/** The types of a rule's actions, in a few words. */
function actionsOf(rule: Rule | undefined): string {
  const actions = isObject(rule?.value) ? rule.value["actions"] : [];
  const types = (Array.isArray(actions) ? actions : []).flatMap((action: unknown) =>
    isObject(action) && typeof action["type"] === "string" ? [action["type"]] : [],
  );
  return listFew(types, 3);
}

/** Two rules that stand for each other; one side is missing for a rule that is removed or added. */
interface RulePair {
  readonly from?: Rule;
  readonly to?: Rule;
  /** Whether it stands in another place among the rules. */
  readonly moves?: true;
}

/** Beyond this many comparisons, the rules between the equal ends are taken as replaced. */
const mostComparisons = 250_000;

/** Rules beside each other in their order: equal ones, then those of one name among what is left between them. */
function rulePairs(before: readonly Rule[], after: readonly Rule[]): readonly RulePair[] {
  const pairs: RulePair[] = [];
  let [a, b] = [0, 0];
  const settle = (toA: number, toB: number): void => {
    if (toA === a && toB === b) return;
    // A policy may have more rules than a call takes arguments.
    for (const pair of changedPairs(before.slice(a, toA), after.slice(b, toB))) pairs.push(pair);
    [a, b] = [toA, toB];
  };
  for (const [atA, atB] of equalRules(before, after)) {
    settle(atA, atB);
    pairs.push({ from: before[atA], to: after[atB] } as RulePair);
    [a, b] = [atA + 1, atB + 1];
  }
  settle(before.length, after.length);
  return pairs;
}

/** The longest common subsequence, as pairs of indices. */
function equalRules(before: readonly Rule[], after: readonly Rule[]): readonly (readonly [number, number])[] {
  const same = (a: number, b: number): boolean => before[a]?.text === after[b]?.text;
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && same(head, head)) head += 1;
  let tail = 0;
  while (tail < most - head && same(before.length - 1 - tail, after.length - 1 - tail)) tail += 1;
  const [rows, columns] = [before.length - head - tail, after.length - head - tail];
  const found: (readonly [number, number])[] = [];
  for (let at = 0; at < head; at++) found.push([at, at]);
  if (rows * columns <= mostComparisons) {
    const lengths = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1));
    const lengthAt = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
    for (let row = rows - 1; row >= 0; row--) {
      for (let column = columns - 1; column >= 0; column--) {
        const longest = same(head + row, head + column)
          ? lengthAt(row + 1, column + 1) + 1
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
        lengths[row]?.fill(longest, column, column + 1);
      }
    }
    for (let row = 0, column = 0; row < rows && column < columns;) {
      if (same(head + row, head + column)) found.push([head + row++, head + column++]);
      else if (lengthAt(row + 1, column) >= lengthAt(row, column + 1)) row += 1;
      else column += 1;
    }
  }
  for (let at = tail; at > 0; at--) found.push([before.length - at, after.length - at]);
  return found;
}

/** Rules of one name are one rule that changed; so are two that are alone. All others are removed, and added. */
function changedPairs(removed: readonly Rule[], added: readonly Rule[]): readonly RulePair[] {
  const waiting = new Set(added);
  const byName = new Map<string | null, Iterator<Rule>>();
  for (const [name, rules] of groupByName(added)) byName.set(name, rules.values());
  const pairs = removed.map((from): RulePair => {
    const name = nameOf(from);
    if (name === null && (removed.length > 1 || added.length > 1)) return { from };
    const next = byName.get(name)?.next();
    if (next === undefined || next.done === true) return { from };
    waiting.delete(next.value);
    return { from, to: next.value };
  });
  return [...pairs, ...[...waiting].map((to): RulePair => ({ to }))];
}

function groupByName(rules: readonly Rule[]): ReadonlyMap<string | null, readonly Rule[]> {
  const groups = new Map<string | null, Rule[]>();
  for (const rule of rules) {
    const name = nameOf(rule);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [rule]);
    else group.push(rule);
  }
  return groups;
}

function nameOf({ value }: Pick<Rule, "value">): string | null {
  const name = isObject(value) ? value["name"] : null;
  return typeof name === "string" && name !== "" ? name : null;
}
