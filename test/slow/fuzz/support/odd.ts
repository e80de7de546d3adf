import type { Dice } from "../../chaos/support/dice.ts";
import { isObject, type Json } from "../../../../src/core/json.ts";

const names = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "then",
  "toJSON",
  "",
  "id",
  "enabled",
];

const texts = [
  "",
  "x",
  "null",
  "{}",
  "[]",
  "__proto__",
  "..",
  "../../outside/secret.txt",
  "/etc/hostname",
  "a/b",
  "a:443",
  "\u0000",
  "\u001b[31m\u0007",
  "\ud800",
  "\u202e",
  "::set-output name=x::y",
  "<script>",
  "${{ vars.v }}",
  "${{ env.V }}",
  "${{",
  "1e400",
  "é".repeat(300),
  "x".repeat(5000),
  '{"edgewise":{"stack":"demo","name":"api"}}',
  '{"edgewise":{"stack":"demo","name":"__proto__","replaces":"x"}}',
  '{"edgewise":{"stack":"other","name":"api"}}',
  '{"edgewise":[]}',
  "-----BEGIN CERTIFICATE-----",
];

const numbers = [0, -1, 1.5, 1e308, -1e308, 5e-324, 2 ** 53, 2 ** 53 + 2, 65536, 443];

function nested(dice: Dice): Json {
  let value: Json = "deep";
  const levels = dice.pick([5, 60, 99, 101, 600]);
  for (let level = 0; level < levels; level += 1) value = dice.chance(0.5) ? [value] : { a: value };
  return value;
}

export function oddValue(dice: Dice, depth = 0): Json {
  const kind = dice.between(0, depth > 3 ? 4 : 9);
  if (kind <= 1) return dice.pick(texts);
  if (kind === 2) return dice.pick(numbers);
  if (kind === 3) return dice.pick<Json>([null, true, false, [], {}]);
  if (kind === 4) return `n${dice.between(0, 99)}`;
  if (kind === 5) return depth === 0 ? nested(dice) : null;
  const size = dice.between(0, depth === 0 && dice.chance(0.03) ? 2000 : 4);
  const items = Array.from({ length: size }, () => oddValue(dice, depth + 1));
  if (kind <= 7) return items;
  // Defined, not set: a member may be called __proto__.
  return Object.fromEntries(items.map((item) => [dice.pick(names), item]));
}

function count(value: Json): number {
  const children = Array.isArray(value)
    ? (value as readonly Json[])
    : isObject(value)
      ? (Object.values(value) as readonly Json[])
      : [];
  return children.reduce<number>((sum, child) => sum + count(child), 1);
}

export function withOddPlace(value: Json, dice: Dice): Json {
  let left = dice.between(0, count(value) - 1);
  const how = dice.pick(["replace", "replace", "remove", "twice", "rename"]);
  const visit = (inner: Json): readonly Json[] => {
    if (left-- === 0) {
      if (how === "remove") return [];
      return how === "twice" ? [inner, inner] : [oddValue(dice)];
    }
    if (Array.isArray(inner)) return [(inner as readonly Json[]).flatMap(visit)];
    if (!isObject(inner)) return [inner];
    const entries = Object.entries(inner as { readonly [name: string]: Json }).flatMap(([name, item]) => {
      const here = left === 0;
      const [first, ...rest] = visit(item);
      if (first === undefined) return [];
      const renamed = here && how === "rename" ? dice.pick(names) : name;
      return [[renamed, rest.length > 0 ? [first, ...rest] : first] as const];
    });
    return [Object.fromEntries(entries)];
  };
  return visit(value)[0] ?? null;
}

function withOtherLeaf(value: Json, dice: Dice): Json {
  let left = dice.between(0, count(value) - 1);
  const visit = (inner: Json): Json => {
    const here = left-- === 0;
    if (Array.isArray(inner)) return (inner as readonly Json[]).map(visit);
    if (isObject(inner))
      return Object.fromEntries(
        Object.entries(inner as { readonly [name: string]: Json }).map(([name, item]) => [name, visit(item)]),
      );
    if (!here) return inner;
    if (typeof inner === "string")
      return dice.pick([
        `${inner}2`,
        inner.slice(0, -1),
        inner.toUpperCase(),
        `é${inner}`,
        `${inner}\u202e`,
        "changed",
      ]);
    if (typeof inner === "number") return dice.pick([inner + 1, inner - 1, 0]);
    return typeof inner === "boolean" ? !inner : inner;
  };
  return visit(value);
}

export function withOddPlaces(value: Json, dice: Dice): Json {
  const change = dice.chance(0.5) ? withOddPlace : withOtherLeaf;
  let result = value;
  for (let times = dice.between(1, 3); times > 0; times -= 1) result = change(result, dice);
  return result;
}

const pieces = [
  ..."\t\n\r {}[]:,#&*!|>'\"%@`?-",
  "---\n",
  "...\n",
  "%YAML 1.1\n",
  "<<: ",
  "&a ",
  "*a",
  "!!binary ",
  "? ",
  "- ",
  "${{ vars.v }}",
  "${{ ",
  "\u0000",
  "\ufeff",
  "\u2028",
  "[".repeat(200),
  "{a: ".repeat(200),
  "- ".repeat(200),
  "secret: ",
  "token",
];

export function withOddText(text: string, dice: Dice): string {
  let result = text;
  for (let times = dice.between(1, 4); times > 0; times -= 1) {
    const at = dice.between(0, result.length);
    const cut = dice.chance(0.5) ? dice.between(0, 30) : 0;
    const put = dice.chance(0.3) ? result.slice(at, at + dice.between(1, 200)) : dice.pick([...pieces, ...texts]);
    result = result.slice(0, at) + put + result.slice(at + cut);
  }
  return result;
}

export function oddGrammar(dice: Dice, more: readonly string[]): string {
  return Array.from({ length: dice.between(1, 60) }, () => dice.pick(dice.chance(0.5) ? more : pieces)).join("");
}

export function withOddBytes(text: string, dice: Dice): Buffer {
  const bytes = Buffer.from(text, "utf8");
  for (let times = dice.between(1, 8); times > 0; times -= 1)
    if (bytes.length > 0) bytes[dice.between(0, bytes.length - 1)] = dice.between(0, 255);
  return bytes;
}
