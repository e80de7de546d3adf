import { describe, expect, it } from "vitest";
import type { ValueObject } from "../../src/core/json.ts";
import { listOf } from "../../src/kinds/codecs/reference-codecs.ts";
import { plain } from "../../src/kinds/codecs/value-codecs.ts";
import { neverAnyImpact } from "../../src/kinds/impact.ts";
import { defineKind } from "../../src/kinds/kind.ts";
import { addressOf } from "../../src/kinds/names.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { duplicateClaimsOf } from "../../src/manifest/checks/duplicate-claims.ts";
import type { ManifestProblem, ParsedManifest } from "../../src/manifest/parsed-manifest.ts";

/** A kind whose resources claim ports. */
const claiming = defineKind({
  ...kinds.HTTPResponseBackend,
  fields: {
    title: { codec: plain, unset: { value: null }, write: "any", impact: neverAnyImpact, impacts: [] },
    ports: { codec: plain, unset: { value: [] }, write: "any", impact: neverAnyImpact, impacts: [] },
  },
  claims: (spec) => listOf(spec["ports"]).map((port) => `port:${String(port)}`),
});

function problems(...specs: readonly ValueObject[]): readonly (ManifestProblem & { readonly address: string })[] {
  const found: (ManifestProblem & { readonly address: string })[] = [];
  for (const look of looksAt(specs, (problem) => found.push(problem))) look();
  return found;
}

/** A look at each of the manifests, in their order. */
function looksAt(
  specs: readonly ValueObject[],
  report: (problem: ManifestProblem & { readonly address: string }) => unknown,
): readonly (() => void)[] {
  const manifests = specs.map((spec, index) => parsed(`m${index}`, spec));
  const check = duplicateClaimsOf({ ...kinds, HTTPResponseBackend: claiming });
  const reportFor =
    ({ address }: ParsedManifest) =>
    (problem: ManifestProblem) =>
      void report({ ...problem, address });
  const look = check(manifests, reportFor, {} as Parameters<typeof check>[2]);
  return manifests.map((manifest) => () => look?.(manifest));
}

function parsed(name: string, spec: ValueObject): ParsedManifest {
  const address = addressOf("HTTPResponseBackend", name);
  return {
    kind: "HTTPResponseBackend",
    name,
    address,
    file: `${name}.yaml`,
    line: 1,
    document: { start: 0, end: 0, content: 0 },
    id: null,
    previousNames: [],
    value: { spec },
    spec,
    reportedPaths: new Set(),
    valid: true,
  };
}

describe("what only one resource can have", () => {
  it("is reported at its field when two manifests claim it", () => {
    expect(problems({ title: "a", ports: [80, 81] }, { title: "b", ports: [82, 81] })).toMatchObject([
      {
        address: "HTTPResponseBackend/m1",
        code: "duplicate-claim",
        message: "81 is already claimed by HTTPResponseBackend/m0",
        path: ["spec", "ports"],
        other: { file: "m0.yaml", path: ["spec", "ports"] },
      },
    ]);
  });

  it("is reported when one manifest claims it twice", () => {
    expect(problems({ ports: [80, 80] })).toMatchObject([{ message: "80 is claimed twice" }]);
  });

  it("may be different things", () => {
    expect(problems({ ports: [80] }, { ports: [81] }, {})).toEqual([]);
  });
});
