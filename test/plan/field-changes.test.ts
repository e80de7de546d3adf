import { describe, expect, it } from "vitest";
import type { ValueObject } from "../../src/json.ts";
import { secretText } from "../../src/kinds/codecs/value-codecs.ts";
import { enabled, member, moduleField } from "../../src/kinds/fields.ts";
import { neverAnyImpact } from "../../src/kinds/impact.ts";
import { type Field, type Kind, defineKind } from "../../src/kinds/kind.ts";
import { NormalForms } from "../../src/kinds/normal-form.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { diff } from "../../src/plan/diff.ts";
import { changesOfCreate, changesOfDelete, changesOfUpdate } from "../../src/plan/field-changes.ts";
import { type OperationContext, forResource, planContext } from "../../src/plan/plan-context.ts";
import { Secret } from "../../src/secret.ts";
import { Account, defaults } from "./support/account.ts";

const absent = { value: null } as const;

function field(of: Pick<Field, "codec"> & Partial<Field>): Field {
  return { unset: absent, write: "any", impact: neverAnyImpact, impacts: [], ...of };
}

/** The context of a resource whose kind has these fields. */
function contextOf(fields: Kind["fields"]): OperationContext {
  const kind = defineKind({ ...kinds.HTTPResponseBackend, fields });
  return forResource(planContext(new Account().live(), defaults, new NormalForms()), kind, "HTTPResponseBackend/x");
}

describe("a secret that the service gave in clear", () => {
  const context = contextOf({
    token: field({ codec: secretText, secret: true }),
    signing: moduleField({
      endpoint: true,
      unset: absent,
      members: { enabled, key: member({ codec: secretText, unset: absent, secret: true }) },
      impact: neverAnyImpact,
      impacts: [],
    }),
  });
  const live = { token: "SERVERSIDE-1", signing: { enabled: true, key: "SERVERSIDE-2" } };
  const desired = {
    token: Secret.of("wanted", "env TOKEN"),
    signing: { enabled: true, key: Secret.of("wanted", "env KEY") },
  };

  it("is masked in an update", () => {
    const { changed } = diff(context.kind, live, desired);
    expect(changesOfUpdate(context, { before: live, after: desired, changed })).toMatchObject([
      { path: "spec.token", before: "(secret)", after: "(secret, env TOKEN)", sensitive: true },
      { path: "spec.signing.key", before: "(secret)", after: "(secret, env KEY)", sensitive: true },
    ]);
  });

  it("is masked when its module goes, comes, or is lost with the resource", () => {
    const masked = { enabled: true, key: "(secret)" };
    const gone = { token: null, signing: null };
    const { changed } = diff(context.kind, live, gone);
    expect(changesOfUpdate(context, { before: live, after: gone, changed })).toMatchObject([
      { before: "(secret)", after: null },
      { before: masked, after: null },
    ]);
    expect(changesOfDelete(context, live)).toMatchObject([{ before: "(secret)" }, { before: masked }]);
    expect(changesOfCreate(context, live)).toMatchObject([{ after: "(secret)" }, { after: masked }]);
  });

  it("is masked whatever form it has", () => {
    const odd = { token: { inner: ["SERVERSIDE"] }, signing: { enabled: true, key: 7 } };
    expect(JSON.stringify(changesOfDelete(context, odd))).not.toMatch(/SERVERSIDE|7/u);
  });

  it("stays nothing when there is none", () => {
    const { changed } = diff(context.kind, { token: null, signing: null }, desired);
    const [token] = changesOfUpdate(context, { before: { token: null, signing: null }, after: desired, changed });
    expect(token).toMatchObject({ before: null, after: "(secret, env TOKEN)" });
  });
});

describe("what is known only after apply", () => {
  const unknownIn = (spec: ValueObject): readonly string[] => {
    const context = contextOf({ ...kinds.HTTPResponseBackend.fields, ...kinds.TLSEdge.fields });
    return changesOfCreate(context, spec).flatMap(({ path, unknown }) => (unknown === true ? [path] : []));
  };

  it("is a reference by name, in a field, a list or a module", () => {
    expect(unknownIn({ hostports: ["a.example:443", { address: "tcp" }] })).toEqual(["spec.hostports"]);
    expect(unknownIn({ backend: { enabled: true, backend: { name: "page" } } })).toEqual(["spec.backend"]);
    expect(unknownIn({ backend: { enabled: true, backend: { id: "bkdhr_1" } } })).toEqual([]);
  });

  it("is no map that only looks like one", () => {
    expect(unknownIn({ headers: { name: "y" }, metadata: { name: "x" } })).toEqual([]);
    expect(unknownIn({ headers: { address: "y" }, metadata: { inner: { name: "x" } } })).toEqual([]);
  });
});
