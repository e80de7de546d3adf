import { describe, expect, it } from "vitest";
import type { Result } from "../../src/apply/result.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import { impacts } from "../../src/kinds/impact.ts";
import { type Drift, findingTypes } from "../../src/plan/drift-findings.ts";
import {
  type FieldChange,
  type Operation,
  type Plan,
  type Precondition,
  type Refusal,
  type Warning,
  refusalCodes,
} from "../../src/plan/plan-format.ts";
import { renderDiagnosticsJson } from "../../src/report/json-reports.ts";
import { validatePlan } from "../../src/schema/validate-plan.ts";
import { schemas, violations } from "./all-schemas.ts";

// Every member is there: a type that gains one does not compile here until the sample, and so the schema, has it.

const digest = `sha256:${"0".repeat(64)}`;
const field: Required<FieldChange> = {
  path: "spec.hostports",
  before: null,
  after: ["a.example:443", { x: 1 }],
  sensitive: false,
  unknown: true,
  unavailable: ["env NAME"],
  note: "because",
  origin: "both",
  impact: "routing",
  reason: "because",
};
const operation: Required<Operation> = {
  id: "op-1",
  kind: "patch",
  method: "PATCH",
  path: "/edges/tls/{id}",
  pathBind: { address: "TLSEdge/a", part: "id" },
  address: "TLSEdge/a",
  resourceId: "edgtls_1",
  body: { hostports: [null], key: null },
  bind: {
    "/hostports/0": { address: "ReservedAddress/b", part: "addr" },
    "/key": { secret: "TLSCertificate/a#private_key_pem" },
  },
  after: ["op-2", "op-10"],
  waits: { "op-2": "use", "op-10": "late" },
  why: "because",
  temporary: { restore: { hostports: [] }, takers: ["op-3"] },
  handsOver: { restore: { hostports: ["a.example:443"] }, takers: ["op-3"] },
};
const precondition: Required<Precondition> = {
  address: "TLSEdge/a",
  id: "edgtls_1",
  fingerprint: digest,
  ignore: ["spec.description"],
};
const refusal: Required<Refusal> = {
  code: "policy",
  address: "IPRestriction/a",
  policy: "no-lockout",
  stacks: ["other"],
  message: "m",
  remedy: "r",
  origin: "desired",
};
const warning: Required<Warning> = { code: "traffic-gap", message: "m", address: "TLSEdge/a" };
const plan: Required<Plan> = {
  format: "edgewise.plan/v1",
  stack: "s",
  baseUrl: "https://a.example",
  toolVersion: "0.1.0",
  hash: digest,
  summary: { create: 0, update: 1, replace: 0, delete: 0, adopt: 0, orphan: 0, unchanged: 3 },
  changes: [
    {
      address: "TLSEdge/a",
      action: "update",
      id: "edgtls_1",
      source: { file: "edge/a.yaml", line: 1 },
      fields: [field],
      impact: "routing",
      reason: null,
      origin: null,
      notes: ["n"],
    },
  ],
  operations: [operation],
  preconditions: [precondition],
  refusals: [refusal],
  warnings: [warning],
  rehearsal: { converges: true, steps: 1 },
  owned: ["edgtls_1"],
  claims: ["a.example:443"],
  unserved: ["b.example:443"],
  secrets: { "TLSCertificate/a#private_key_pem": { file: "a.yaml", fingerprint: digest } },
  commit: "0123456789abcdef0123456789abcdef01234567",
  selection: { only: ["TLSEdge/a"], labels: ["team=a"], files: ["edge/a.yaml"], prune: false },
  relaxations: { allow: ["TLSEdge/a"], maxDeletes: "25%", allowEmpty: true, takeOver: true, destroy: true },
  lifted: [
    { code: "irreversible", address: "ReservedAddress/a" },
    { code: "policy", address: "ReservedAddress/a", policy: "small-steps" },
  ],
  unavailableSecrets: [{ address: "TLSCertificate/a", source: "env KEY" }],
  base: "0123abc",
  ref: "HEAD~1",
};
const result: Required<Result> = {
  format: "edgewise.result/v1",
  stack: "s",
  outcome: "partial",
  verified: null,
  operations: [
    {
      id: "op-1",
      address: "TLSEdge/a",
      kind: "patch",
      status: "failed",
      httpStatus: 400,
      resourceId: null,
      error: "e",
    },
  ],
  refusals: [refusal],
  warnings: [warning],
  interrupted: false,
  commit: "0123456789abcdef0123456789abcdef01234567",
  ref: "HEAD~1",
};
const drift: Required<Drift> = {
  format: "edgewise.drift/v1",
  stack: "s",
  baseUrl: "https://a.example",
  toolVersion: "0.1.0",
  clean: false,
  findings: [
    { address: "TLSEdge/a", id: null, type: "missing", fields: [field], source: null, message: "m", impact: "routing" },
  ],
  warnings: [warning],
  base: "0123abc",
  commit: "0123456789abcdef0123456789abcdef01234567",
  ref: "HEAD~1",
};
const diagnostic: Required<Diagnostic> = {
  severity: "error",
  code: "unknown-member",
  message: "m",
  remedy: "r",
  file: "a.yaml",
  line: 1,
  column: 1,
  address: "TLSEdge/a",
  excerpt: "x: 1",
};
const diagnostics: unknown = JSON.parse(
  renderDiagnosticsJson([diagnostic, { ...diagnostic, address: null, remedy: null }]),
);

const outputs = { plan, result, drift, diagnostics } as const;

describe.each(Object.entries(outputs))("%s.schema.json", (name, document) => {
  it("accepts a document with every member", () => {
    expect(violations(name, document)).toEqual([]);
  });

  it("refuses a missing or an additional member anywhere", () => {
    const text = JSON.stringify(document);
    let tried = 0;
    for (const path of objectsIn(document)) {
      const more: unknown = JSON.parse(text);
      Object.assign(Object(at(more, path)), { "more!": 1 });
      expect(violations(name, more), `${path.join("/")} with one more member`).not.toEqual([]);
      tried++;
    }
    expect(tried).toBeGreaterThan(2);
    const optional = name === "plan" ? ["base", "ref", "unserved"] : ["base", "commit", "ref"];
    for (const member of Object.keys(document as object).filter((key) => !optional.includes(key))) {
      const { [member]: _gone, ...less } = { ...(document as { [member: string]: unknown }) };
      expect(violations(name, less), `without ${member}`).not.toEqual([]);
    }
  });
});

/** Paths of the objects that a schema describes, without request bodies and free maps. */
function* objectsIn(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value !== "object" || value === null) return;
  const last = path.at(-1) ?? "";
  if (["body", "restore", "before", "after"].includes(last)) return;
  if (!Array.isArray(value) && last !== "secrets") yield path;
  for (const [name, part] of Object.entries(value)) yield* objectsIn(part, [...path, name]);
}

function at(value: unknown, path: readonly string[]): unknown {
  let part = value;
  for (const step of path) part = Object(part)[step];
  return part;
}

describe("closed lists", () => {
  it.each([
    ["impact", impacts],
    ["refusal", refusalCodes],
  ])("%s is the code's", (name, values) => {
    const definitions = JSON.stringify(schemas.get("output-definitions.schema.json"));
    expect(definitions, name).toContain(JSON.stringify([...values]));
  });

  it("finding types are the code's", () => {
    for (const type of findingTypes)
      expect(violations("drift", { ...drift, findings: drift.findings.map((one) => ({ ...one, type })) })).toEqual([]);
  });
});

describe("validatePlan", () => {
  it("takes a plan, with and without what is optional", () => {
    expect(validatePlan(plan)).toBeNull();
    const { base: _base, ...rest } = plan;
    expect(
      validatePlan({ ...rest, operations: [], rehearsal: null, changes: [{ ...plan.changes[0], source: null }] }),
    ).toBeNull();
  });

  it.each([
    ["another hash", { ...plan, hash: "x" }, "hash must be"],
    [
      "a path elsewhere",
      { ...plan, operations: [{ ...operation, path: "https://b.example/" }] },
      "operations[0].path must be",
    ],
    [
      "an unknown method",
      { ...plan, operations: [{ ...operation, method: "GET" }] },
      "operations[0].method must be one of",
    ],
    ["no binding", { ...plan, operations: [{ ...operation, bind: { "/a": {} } }] }, "operations[0].bind"],
    [
      "two bindings",
      { ...plan, operations: [{ ...operation, bind: { "/a": { address: "TLSEdge/a", part: "id", secret: "a#b" } } }] },
      "operations[0].bind",
    ],
    ["an unknown member", { ...plan, x: 1 }, "x is not known"],
    ["text", "plan", "the document must be a map"],
  ])("says what is wrong with %s", (_what, document, words) => {
    expect(validatePlan(document)).toContain(words);
  });
});
