import { describe, expect, it } from "vitest";
import type { Spec, Value } from "../../src/core/json.ts";
import type { Impact } from "../../src/kinds/impact.ts";
import type { Field } from "../../src/kinds/kind.ts";
import { kindNames } from "../../src/kinds/names.ts";
import { kinds } from "../../src/kinds/registry.ts";

const denying = JSON.stringify({ on_tcp_connect: [{ actions: [{ type: "deny" }] }] });

/** Values of every sort that fields hold, whatever the field: an impact must be in the list that the field declares. */
const values: readonly Value[] = [
  null,
  true,
  false,
  "",
  "a",
  "b",
  [],
  ["a.example:443"],
  ["b.example:443"],
  [{ id: "a" }],
  [{ id: "b" }],
  ...[true, false].flatMap((enabled) => [
    { enabled, min_version: "1.2", terminate_at: "edge", ip_policies: [{ id: "a" }], value: denying },
    { enabled, min_version: "1.3", terminate_at: "edge", certificate_authorities: [{ id: "a" }], value: "{}" },
    { enabled, min_version: "1.2", terminate_at: "upstream", backend: { id: "a" }, provider: "GITHUB" },
  ]),
];

const specs: readonly Spec[] = [{ enforced: true }, { enforced: false }];

function found(field: Field): readonly Impact[] {
  const impacts = new Set<Impact>();
  const add = (before: Value, after: Value, whole: { readonly before: Spec | null; readonly after: Spec | null }) =>
    impacts.add(field.impact(before, after, whole).impact);
  for (const spec of specs) {
    for (const value of values) {
      add(null, value, { before: null, after: spec });
      add(value, null, { before: spec, after: null });
      for (const other of values) for (const next of specs) add(value, other, { before: spec, after: next });
    }
  }
  impacts.delete("none");
  return [...impacts];
}

describe.each(kindNames)("the impacts of %s", (name) => {
  it.each(Object.keys(kinds[name].fields))("are those that %s declares", (path) => {
    const field = kinds[name].fields[path];
    if (field === undefined) throw new Error(path);
    expect(found(field).toSorted()).toEqual([...field.impacts].toSorted());
  });
});
