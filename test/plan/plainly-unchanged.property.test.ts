import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Spec, type Value, type ValueObject, isObject } from "../../src/json.ts";
import type { Kind, Reference, ReferenceTarget } from "../../src/kinds/kind.ts";
import { kindNames } from "../../src/kinds/names.ts";
import { readWire, specFromManifest } from "../../src/kinds/normal-form.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { applyDefaults } from "../../src/plan/apply-defaults.ts";
import { diff, immutableDifferences } from "../../src/plan/diff.ts";
import { isPlainlyUnchanged } from "../../src/plan/plainly-unchanged.ts";
import { resolveSpec } from "../../src/plan/proposed-state.ts";
import { Secret } from "../../src/secret.ts";
import { runs } from "../support/runs.ts";

/** Few values for each field, so that two specs often have the same; `undefined` = left out. */
const pools: { readonly [field: string]: readonly (Value | undefined)[] } = {
  enabled: [undefined, true, false],
  hostports: [["a.example:443"], ["A.example:443"], ["b.example:443", "a.example:443"], [{ address: "a" }], []],
  backend: [undefined, null, { id: "bkd_1" }, { id: "bkd_2" }, { name: "a" }, { name: "gone" }],
  edge: [undefined, { id: "edghts_1" }, { name: "a" }, { name: "gone" }],
  ip_policies: [undefined, [], [{ id: "ipp_1" }], [{ id: "ipp_2" }, { id: "ipp_1" }]],
  certificate_authorities: [undefined, [{ id: "ca_1" }]],
  terminate_at: [undefined, undefined, "", "edge", "upstream"],
  min_version: [undefined, null, "", "1.2"],
  status_code: [undefined, 200, 503],
  enforced: [undefined, true, false],
  type: ["agent", "dashboard"],
  headers: [undefined, null, {}, { a: "b" }, { A: "b" }],
  value: [undefined, null, "{}", '{"on_tcp_connect": []}', "not JSON"],
  private_key_pem: [undefined, Secret.of("key", "env KEY")],
  secret: [null, Secret.of("s", "env S"), Secret.unavailable("env S", "S is not set")],
  provider: [undefined, "github", "slack"],
};
const texts: readonly (Value | undefined)[] = [undefined, null, "", "text"];

/** A module is left out, null, without members, or has some of its members. */
const valueOf = (name: string, { module }: Kind["fields"][string]): fc.Arbitrary<Value | undefined> => {
  if (module === undefined) return fc.constantFrom(...(pools[name] ?? texts));
  const whole = given(module.members);
  return fc.oneof(fc.constantFrom<(Value | undefined)[]>(undefined, null), whole, whole);
};
const given = (fields: Kind["fields"]): fc.Arbitrary<ValueObject> =>
  fc.record(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, valueOf(name, field)])));

/** What a service shows that was sent a manifest: references by id, and what was left out at its default. */
function shown(kind: Kind, spec: Spec): Spec {
  const complete = applyDefaults(kind, spec, null, { ignore: [], moduleEndpoints: [] }).spec;
  return visible(kind, resolveSpec(kind, complete, resolve));
}

/** What a service shows that takes everything at its word, even what contradicts itself. */
function echoed(kind: Kind, desired: Spec): Spec {
  const members = Object.entries(shown(kind, desired)).map(([name, value]): [string, Value | undefined] => {
    const said = resolveSpec(kind, desired, resolve)[name];
    return [name, isObject(said) && isObject(value) ? { ...value, ...said } : value];
  });
  return visible(kind, Object.fromEntries(members));
}

function visible(kind: Kind, spec: Spec): Spec {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => kind.fields[name]?.writeOnly !== true));
}

/** A spec in which a field, or a member of a module, is as in another. */
function mixed({ fieldList }: Kind, spec: Spec, other: Spec, place: number): Spec {
  const chosen = fieldList[place % fieldList.length];
  if (chosen === undefined) return spec;
  const { field, name } = chosen;
  const [value, others] = [spec[name], other[name]];
  const members = field.module?.memberList ?? [];
  const member = members[place % members.length]?.name;
  if (member === undefined || !isObject(value) || !isObject(others)) return { ...spec, [name]: others };
  return { ...spec, [name]: { ...value, [member]: others[member] } };
}

function resolve({ part, target }: Reference): ReferenceTarget | null {
  if (!("name" in target) || target.name === "gone") return null;
  return part === "id" ? { id: "bkd_1" } : { addr: "a.example:443" };
}

const cases = fc.constantFrom(...kindNames, "TLSEdge" as const, "TLSEdge" as const).chain((name) =>
  fc.record({
    kind: fc.constant(kinds[name]),
    wanted: given(kinds[name].fields),
    other: given(kinds[name].fields),
    service: fc.constantFrom(shown, echoed, visible),
    place: fc.option(fc.nat({ max: 1000 })),
    ignore: fc.constantFrom<readonly string[]>([], [], [], ["spec.description"]),
    moduleEndpoints: fc.constantFrom<readonly string[]>([], ["backend"]),
  }),
);

describe("what is plainly unchanged", () => {
  it("is so when it is completed, resolved and compared, too, and there is nothing to remark", () => {
    let plain = 0;
    let unchanged = 0;
    fc.assert(
      fc.property(cases, ({ ignore, kind, moduleEndpoints, other, place, service, wanted }) => {
        const desired = specFromManifest(kind, wanted);
        const made = service(kind, desired);
        const before = place === null ? made : mixed(kind, made, readWire(kind, other).spec, place);
        const { remarks, spec } = applyDefaults(kind, desired, before, { ignore, moduleEndpoints });
        const unresolved: Reference[] = [];
        const resolving = (reference: Reference): ReferenceTarget | null => {
          const target = resolve(reference);
          if (target === null) unresolved.push(reference);
          return target;
        };
        const replaced = immutableDifferences(kind, before, spec);
        const differences = diff(kind, before, resolveSpec(kind, spec, resolving));
        const found = { ...differences, ...remarks, replaced, unresolved, overruled: [...remarks.overruled] };
        const isUnchanged = Object.values(found).every((list) => list.length === 0);
        const isPlain = isPlainlyUnchanged(kind, desired, before, resolve);
        if (isUnchanged) unchanged += 1;
        if (!isPlain) return;
        plain += 1;
        expect(isUnchanged, JSON.stringify(found)).toBe(true);
      }),
      runs(800),
    );
    // Most of what is unchanged shows it plainly.
    expect(plain).toBeGreaterThan(unchanged / 2);
    expect(unchanged).toBeGreaterThan(300);
  });

  it("is no edge with a live value that its manifest rules out", () => {
    const said = { hostports: ["a.example:443"], tls_termination: {}, traffic_policy: { value: "{}" } };
    const desired = specFromManifest(kinds.TLSEdge, said);
    const isPlain = (end: string): boolean => {
      const wire = { ...said, tls_termination: { terminate_at: end }, metadata: "" };
      return isPlainlyUnchanged(kinds.TLSEdge, desired, readWire(kinds.TLSEdge, wire).spec, resolve);
    };
    expect(isPlain("edge")).toBe(true);
    expect(isPlain("upstream")).toBe(false);
  });
});
