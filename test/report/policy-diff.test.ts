import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Json } from "../../src/json.ts";
import { type DiffLine, type LineDiff, loadLineDiff } from "../../src/report/line-diff.ts";
import { policyDiff } from "../../src/report/policy-diff.ts";
import { policyLines } from "../../src/report/values.ts";
import { runs } from "../support/runs.ts";

let diff: LineDiff;
beforeAll(async () => {
  diff = await loadLineDiff();
});

function shown(before: Json, after: Json): readonly string[] | null {
  const [from, to] = [before, after].map((side) => (typeof side === "string" ? side : JSON.stringify(side)));
  return policyDiff(from ?? "", to ?? "", diff)?.map(({ mark, text }) => `${mark} ${text}`) ?? null;
}

const deny = (name: string, code = 403): Json => ({
  name,
  expressions: [`conn.client_ip in ${name}`],
  actions: [{ type: "deny", config: { status_code: code } }],
});
const log = { actions: [{ type: "log", config: { metadata: {} } }] };

describe("the difference of two policies", () => {
  it("is one block for a rule that is removed, named by phase, rule and action", () => {
    expect(
      shown({ on_tcp_connect: [deny("a"), deny("b"), deny("c")] }, { on_tcp_connect: [deny("a"), deny("c")] }),
    ).toEqual([
      'hunk on_tcp_connect, rule "b", deny',
      "- - name: b",
      "-   expressions:",
      '-     - "conn.client_ip in b"',
      "-   actions:",
      "-     - type: deny",
      "-       config:",
      "-         status_code: 403",
      "gap 2 unchanged rules",
    ]);
  });

  it("shows what changed in a rule, with its name in the same place and what leads to it", () => {
    expect(shown({ on_tcp_connect: [log, deny("b")] }, { on_tcp_connect: [log, deny("b", 401)] })).toEqual([
      'hunk on_tcp_connect, rule "b", deny',
      "gap 3 unchanged lines",
      "    actions:",
      "      - type: deny",
      "        config:",
      "-         status_code: 403",
      "+         status_code: 401",
      "gap 1 unchanged rule",
    ]);
  });

  it("tells rules that change their order, as it counts", () => {
    const lines = shown({ on_tcp_connect: [deny("a"), deny("b")] }, { on_tcp_connect: [deny("b"), deny("a")] });
    expect(lines).toEqual(['hunk on_tcp_connect, rule "a", deny: moves from place 1 to 2', "gap 1 unchanged rule"]);
  });

  it("says that a secret changed where nothing else does", () => {
    const policy = JSON.stringify({ on_tcp_connect: [deny("a")] });
    expect(shown(policy, `${policy}\n(secret) changed`)).toEqual(["+ (secret) changed", "gap 1 unchanged rule"]);
  });

  it("is made of both sides whatever they are, and of nothing that objects inherit", () => {
    expect(shown({ constructor: [deny("a")] }, { on_tcp_connect: [deny("a")] })?.[0]).toBe(
      'hunk constructor, rule "a", deny',
    );
    expect(shown("no policy at all, but a text", "another text that is not a policy")).toBeNull();
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 5 }), { maxLength: 8 }),
        fc.array(fc.nat({ max: 5 }), { maxLength: 8 }),
        (a, b) => {
          const policy = (rules: readonly number[]): Json => ({
            on_tcp_connect: rules.map((n) => deny(`r${n % 3}`, 400 + n)),
            padding: "so that it is long enough",
          });
          const lines = shown(policy(a), policy(b)) ?? [];
          const marked = (mark: string): number => lines.filter((line) => line.startsWith(`${mark} - name`)).length;
          const kept = Number(/^gap (\d+) unchanged rules?$/u.exec(lines.at(-1) ?? "")?.[1] ?? 0);
          const paired = lines.filter((line) => line.startsWith("hunk")).length - marked("-") - marked("+");
          expect([kept + paired + marked("-"), kept + paired + marked("+")]).toEqual([a.length, b.length]);
        },
      ),
      runs(100),
    );
  });
});

describe("the difference of two policies whose unchanged rules can be unfolded", () => {
  const unfolded = (before: Json, after: Json): readonly DiffLine[] =>
    (policyDiff(JSON.stringify(before), JSON.stringify(after), diff, true) ?? []).flatMap((line) =>
      line.folded === undefined ? [line] : line.folded,
    );

  it("has them in their places, and says what becomes of the actions of a rule", () => {
    const before = { on_tcp_connect: [deny("a"), deny("b"), deny("c")] };
    const after = { on_tcp_connect: [deny("a"), { ...(deny("b") as object), actions: log.actions }, deny("c")] };
    const lines = policyDiff(JSON.stringify(before), JSON.stringify(after), diff, true) ?? [];
    expect(lines.filter(({ mark }) => mark === "gap" || mark === "hunk").map(({ text }) => text)).toEqual([
      "1 unchanged rule",
      'on_tcp_connect, rule "b", deny -> log',
      "1 unchanged rule",
    ]);
    expect(lines[0]?.folded?.[0]).toEqual({ mark: "hunk", text: 'on_tcp_connect, rule "a", deny' });
  });

  it("has every line of both", () => {
    const rules = fc.array(fc.nat({ max: 5 }), { maxLength: 8 });
    const policy = (numbers: readonly number[]) => ({
      on_tcp_connect: numbers.map((n) => deny(`r${n % 3}`, 400 + n)),
      padding: "so that it is long enough",
    });
    const linesOf = (numbers: readonly number[]): readonly string[] => [
      ...policyLines({ padding: "so that it is long enough" }),
      ...policy(numbers).on_tcp_connect.flatMap((rule) => policyLines([rule])),
    ];
    fc.assert(
      fc.property(rules, rules, (a, b) => {
        fc.pre(a.length > 0 && b.length > 0);
        const lines = unfolded(policy(a), policy(b)).filter(({ mark }) => mark !== "hunk");
        const without = (mark: string): readonly string[] =>
          lines.filter((line) => line.mark !== mark).map(({ text }) => text);
        expect(without("-").toSorted()).toEqual(linesOf(b).toSorted());
        expect(without("+").toSorted()).toEqual(linesOf(a).toSorted());
      }),
      runs(100),
    );
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
      expect(parse(policyLines(document).join("\n"))).toEqual(JSON.parse(JSON.stringify(document)));
    }),
    runs(100),
  );
});
