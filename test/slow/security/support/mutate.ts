import fc from "fast-check";
import { isObject, type Json } from "../../../../src/json.ts";

const oddScalars = [
  null,
  true,
  0,
  -1,
  1e308,
  "",
  "x",
  "{}",
  "__proto__",
  "\ud800",
  "\u0000",
  "..",
  "a/b",
  "\u001b[31m",
];
const oddShapes = [[], {}, [null], [[]], [{}], [{ id: null }], [{ id: 7 }], [1, "x", null], { id: "x" }, { id: 5 }];
const oddMarkers = [
  '{"edgewise":null}',
  '{"edgewise":{"stack":"demo","name":"api"}}',
  '{"edgewise":{"stack":"demo","name":"../..","deletion":"protect"}}',
  '{"edgewise":{"stack":"other","name":"api"}}',
];

/** Values that a faulty server may return in place of others. */
const oddValues: readonly Json[] = [
  ...oddScalars,
  ...oddShapes,
  ...oddMarkers,
  { enabled: "yes" },
  { enabled: true, value: 5 },
  { hasOwnProperty: 1, toString: 2 },
  JSON.parse('{"__proto__":{"id":"x"},"id":"x"}') as Json,
];

const odd: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...oddValues) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

/** A change of one place, chosen by its number among all places, so that every place is covered. */
export interface Mutation {
  readonly place: number;
  readonly how: "replace" | "remove" | "add" | "twice";
  readonly value: Json;
}

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  place: fc.nat(1_000_000),
  how: fc.constantFrom("replace", "replace", "replace", "remove", "add", "twice"),
  value: odd,
});

/** All places inside a value. */
function placesOf(value: Json): readonly (readonly (string | number)[])[] {
  const found: (readonly (string | number)[])[] = [];
  const visit = (inner: unknown, path: readonly (string | number)[]): void => {
    if (path.length > 0) found.push(path);
    if (Array.isArray(inner)) for (const [index, item] of inner.entries()) visit(item, [...path, index]);
    else if (isObject(inner)) for (const [name, item] of Object.entries(inner)) visit(item, [...path, name]);
  };
  visit(value, []);
  return found;
}

/** The value with one place changed. */
export function mutated(value: Json, { place, how, value: by }: Mutation): Json {
  const places = placesOf(value);
  const path = places[place % Math.max(1, places.length)];
  if (path === undefined) return by;
  return changed(value, path, how, by);
}

function changed(value: unknown, path: readonly (string | number)[], how: Mutation["how"], by: Json): Json {
  const [step, ...rest] = path;
  if (Array.isArray(value)) {
    const at = Number(step);
    const items = value as readonly Json[];
    if (rest.length > 0) return items.map((item, index) => (index === at ? changed(item, rest, how, by) : item));
    const item = items[at] ?? null;
    const replacement: { readonly [H in Mutation["how"]]: readonly Json[] } = {
      replace: [by],
      remove: [],
      add: [item, by],
      twice: [item, item],
    };
    return [...items.slice(0, at), ...replacement[how], ...items.slice(at + 1)];
  }
  const members = Object.entries(value as { readonly [name: string]: Json });
  const result = members.flatMap(([name, item]): (readonly [string, Json])[] => {
    if (name !== step) return [[name, item]];
    if (rest.length > 0) return [[name, changed(item, rest, how, by)]];
    if (how === "remove") return [];
    if (how === "add")
      return [
        [name, item],
        ["unheard_of", by],
      ];
    return [[name, how === "twice" ? [item, item] : by]];
  });
  return Object.fromEntries(result);
}
