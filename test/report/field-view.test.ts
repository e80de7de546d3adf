import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Json } from "../../src/core/json.ts";
import type { FieldChange } from "../../src/plan/plan-format.ts";
import { type FieldLimits, fieldView } from "../../src/report/field-view.ts";
import { yamlLines } from "../../src/report/values.ts";
import { runs } from "../support/runs.ts";
import { newPem, oldPem } from "./sample-pem.ts";
import { field } from "./sample-plan.ts";

const limits: FieldLimits = { inline: 80, line: 160, lines: 10 };

function seen(change: FieldChange): string {
  const view = fieldView(change, limits);
  if (view.lines === null)
    return `${view.sign} ${view.before || "∅"} → ${view.after || "∅"}${view.tags.map((tag) => ` (${tag})`).join("")}`;
  return [view.sign, ...view.lines.map(({ mark, text }) => `${mark === "gap" ? "…" : mark} ${text}`)].join("\n");
}

describe("what a field's difference looks like", () => {
  it.each([
    ["text that reads like another type", field("p", "1", 1), '~ "1" → 1'],
    ["something new", field("p", null, "x"), '+ ∅ → "x"'],
    ["a value that is wholly unknown", field("p", "x", null, { unknown: true }), '~ "x" → (known after apply)'],
    ["a secret that changes", field("p", "(secret)", "(secret)", { sensitive: true }), "~ ∅ → (secret) changes"],
    [
      "a secret from a file with an odd name",
      field("p", null, "(secret, file a\u001b[2J).pem)", { sensitive: true }),
      "+ ∅ → (secret, file a\\u001b[2J).pem)",
    ],
    ["a secret, even when a value slipped in", field("p", null, "hunter2", { sensitive: true }), "+ ∅ → (secret)"],
    ["elements of a set", field("p", ["a", "b", "c"], ["c", "a", "d"]), "~\n  a\n- b\n  c\n+ d"],
    ["an object", field("p", { a: 1, b: { c: "x" } }, { a: 1, b: { c: "y" } }), "~\n  a: 1\n  b:\n-   c: x\n+   c: y"],
    ["a body of several lines, new", field("p", null, "a\nb\n"), "+\n+ a\n+ b"],
  ])("%s", (_, change, expected) => {
    expect(seen(change)).toBe(expected);
  });

  it("describes certificates, and never shows their text", () => {
    const text = seen(field("p", oldPem, `${newPem}${oldPem}`));
    expect(text).toMatch(/- certificate CN=old\.example\.com, until \d{4}-\d\d-\d\d, sha256 [0-9a-f]{12}…/);
    expect(text).toContain("+ certificate CN=api.example.com, chain of 2, until ");
    expect(text).not.toContain("BEGIN");
    expect(seen(field("p", null, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"))).toContain(
      "unreadable PEM",
    );
    expect(seen(field("p", null, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"))).toBe(
      "+ ∅ → (secret)",
    );
    expect(seen(field("p", null, { pem: newPem, more: "m".repeat(90) }))).not.toContain("BEGIN");
  });

  it("shows policies line by line, whatever the order of their keys", () => {
    const a = '{"on_tcp_connect":[{"name":"x","actions":[{"type":"deny"}]}]}';
    const b = '{ "on_tcp_connect": [{"actions":[{"type":"log"}],"name":"x"}] }';
    expect(
      seen(field("p", a, b))
        .split("\n")
        .filter((line) => /^[-+]/.test(line)),
    ).toEqual(["-       - type: deny", "+       - type: log"]);
  });

  it("cuts long lines where they differ", () => {
    const text = seen(field("p", `${"x".repeat(500)}A${"y".repeat(500)}`, `${"x".repeat(500)}B${"y".repeat(500)}`));
    expect(text).toMatch(/^- …x+Ay+… \(\d+ more characters\)$/m);
    expect(text).toMatch(/^\+ …x+By+… \(\d+ more characters\)$/m);
  });
});

it("a policy is shown as YAML that says the same", () => {
  const word = fc.string({ unit: "grapheme-ascii", maxLength: 12 });
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<Json>("on", "null", "1e5", "a:", "~", "", "x y", "10.5", "- a", "[", "{a", "#", null, true, 3),
      word,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(word, tie("value"), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(value, (document) => {
      expect(parse(yamlLines(document, true).join("\n"))).toEqual(JSON.parse(JSON.stringify(document)));
    }),
    runs(100),
  );
});
