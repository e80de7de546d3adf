import fc from "fast-check";
import type { Json } from "../../src/core/json.ts";
import { impacts } from "../../src/kinds/impact.ts";
import { type Drift, findingTypes } from "../../src/plan/drift-findings.ts";
import type { Change, FieldChange, Plan, WarningCode } from "../../src/plan/plan-format.ts";
import { driftOf, finding } from "./sample-drift.ts";
import { change, field, operation, planOf } from "./sample-plan.ts";

const tokens = [
  "<x-evil onx=1>",
  "</details>",
  "</script>",
  "<script>alert(1)</script>",
  "<!--",
  '"onx="1',
  "'",
  "&#x3c;x-evil>",
  "```",
  "`",
  "\n```\n",
  "\n",
  "\r",
  "|",
  "\\",
  "\n\n# Title\n",
  "![a](http://evil.example/a.png)",
  "@octocat",
  "#1",
  "https://evil.example/x",
  "::set-output name=a::b",
  "\n::error::x",
  "\u00a0::add-mask::x",
  "##[command]x",
  ",file=x",
  "\u001b[31m",
  "\u009b1m",
  "\u202e",
  "\ufeff",
  "\u{e0041}",
  "\ud800",
  "\u0000",
  "\u2028",
  "a",
  "🙂",
  "x".repeat(400),
  '{"a":',
  "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
];

export const hostile: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...tokens) },
      { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));

const value: fc.Arbitrary<Json> = fc.oneof(
  fc.constant(null),
  hostile,
  fc.integer(),
  fc.array(hostile, { maxLength: 4 }),
  fc.dictionary(hostile, fc.oneof(hostile, fc.array(hostile, { maxLength: 2 })), { maxKeys: 3 }) as fc.Arbitrary<Json>,
  hostile.map((text) => JSON.stringify({ on_tcp_connect: [{ name: text, actions: [] }] })),
);

const fieldChange: fc.Arbitrary<FieldChange> = fc
  .record({
    path: hostile,
    before: value,
    after: value,
    reason: fc.option(hostile),
    impact: fc.constantFrom(...impacts),
    origin: fc.constantFrom("desired" as const, "drift" as const, "both" as const, "unknown" as const, null),
    unknown: fc.boolean(),
    sensitive: fc.boolean(),
  })
  .map(({ path, before, after, ...more }) => field(path, before, after, more));

const source = fc.option(fc.record({ file: hostile, line: fc.integer({ min: 1, max: 999 }) }));

const hostileChange: fc.Arbitrary<Change> = fc
  .record({
    name: hostile,
    action: fc.constantFrom(
      "create" as const,
      "update" as const,
      "replace" as const,
      "delete" as const,
      "adopt" as const,
      "orphan" as const,
    ),
    fields: fc.array(fieldChange, { maxLength: 4 }),
    id: fc.option(hostile),
    impact: fc.constantFrom(...impacts),
    reason: fc.option(hostile),
    notes: fc.array(hostile, { maxLength: 2 }),
    source,
  })
  .map(({ name, action, fields, ...more }) => change(`TLSEdge/${name}`, action, fields, more));

export const hostilePlan = (...times: readonly number[]): fc.Arbitrary<Plan> =>
  fc
    .record({
      changes: fc.array(hostileChange, { maxLength: 12 }),
      times: fc.constantFrom(1, ...times),
      stack: hostile,
      hash: hostile,
      baseUrl: hostile,
      toolVersion: hostile,
      refusals: fc.array(
        fc.record({
          code: fc.constantFrom("lockout" as const, "irreversible" as const),
          message: hostile,
          remedy: hostile,
        }),
        { maxLength: 4 },
      ),
      // A saved plan may hold any code.
      warnings: fc.array(
        fc.record({ code: hostile.map((text) => text as WarningCode), message: hostile, address: hostile }),
        { maxLength: 4 },
      ),
      why: hostile,
    })
    .map(({ changes, times, why, refusals, warnings, ...more }) => {
      const all = Array.from({ length: times }, () => changes).flat();
      const operations = changes.map(({ address }, index) =>
        operation(`op-${index}`, {
          address,
          path: `/${why}`,
          why,
          after: index > 0 ? [`op-${index - 1}`] : [],
          waits: index > 0 ? { [`op-${index - 1}`]: "free" as const } : {},
        }),
      );
      return planOf(all, {
        ...more,
        operations,
        refusals: Array.from({ length: times }, () => refusals).flat(),
        warnings: Array.from({ length: times }, () => warnings).flat(),
      });
    });

export const hostileDrift: fc.Arbitrary<Drift> = fc
  .record({
    stack: hostile,
    findings: fc.array(
      fc.record({
        address: hostile,
        type: fc.constantFrom(...findingTypes),
        id: fc.option(hostile),
        fields: fc.array(fieldChange, { maxLength: 3 }),
        source,
        message: hostile,
        impact: fc.constantFrom(...impacts),
      }),
      { maxLength: 6 },
    ),
  })
  .map(({ stack, findings }) => ({ ...driftOf(findings.map(({ type, ...more }) => finding(type, more))), stack }));
