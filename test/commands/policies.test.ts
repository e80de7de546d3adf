import { describe, expect, it } from "vitest";
import { violations } from "../schemas/all-schemas.ts";
import { repository } from "./ref-repository.ts";
import { type Stage, backend, stage } from "./stage.ts";

const head = "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n";

interface Rule {
  readonly name?: string;
  readonly expression: string;
  readonly effect?: "deny" | "warn";
  readonly message?: string;
  readonly tests?: readonly object[];
}

function config(policies: readonly Rule[], more = ""): string {
  const named = policies.map((rule, index) => ({ name: `rule-${index}`, message: "Not here.", ...rule }));
  return `${head}${more}policies: ${JSON.stringify(named)}\n`;
}

const noTeapots: Rule = { name: "no-teapots", expression: "change.after.spec.?status_code.orValue(0) == 418" };

async function teapot(policies: readonly Rule[] = [noTeapots], more = ""): Promise<Stage> {
  const on = await stage();
  await on.write("edgewise.yaml", config(policies, more));
  await on.write("edge/pot.yaml", backend("pot", "status_code: 418") + backend("cup"));
  return on;
}

interface Refused {
  readonly refusals: readonly { readonly code: string; readonly address?: string; readonly message: string }[];
}

function refusalsOf(out: string): readonly string[] {
  const { refusals }: Refused = JSON.parse(out);
  return refusals.map(({ address = "plan", code }) => `${code} ${address}`);
}

describe("policies", () => {
  it("refuse a plan: shown with 0 or 4, applied with 4, and nothing is written", async () => {
    const on = await teapot();
    const plan = await on.run("plan", "-o", "json");
    expect(plan.exit).toBe(0);
    expect(violations("plan", JSON.parse(plan.out))).toEqual([]);
    expect(refusalsOf(plan.out)).toEqual(["policy HTTPResponseBackend/pot"]);
    expect((await on.run("plan", "--detailed-exitcode")).exit).toBe(4);
    const applied = await on.run("apply", "-y", "-o", "json");
    expect(applied.exit).toBe(4);
    expect(violations("result", JSON.parse(applied.out))).toEqual([]);
    expect(on.writes()).toBe(0);
  });

  it("are lifted for one address by --allow, which is recorded, or by guards.allow, which is used then", async () => {
    const on = await teapot([noTeapots, { expression: "change.kind == 'HTTPResponseBackend'" }]);
    const flags = ["--allow", "HTTPResponseBackend/pot"];
    const one = await on.run("plan", "-o", "json", ...flags);
    expect(refusalsOf(one.out)).toEqual(["policy HTTPResponseBackend/cup"]);
    expect(JSON.parse(one.out)).toMatchObject({
      relaxations: { allow: ["HTTPResponseBackend/pot"] },
      lifted: [
        { code: "policy", address: "HTTPResponseBackend/pot", policy: "no-teapots" },
        { code: "policy", address: "HTTPResponseBackend/pot", policy: "rule-1" },
      ],
    });
    const allow = "guards: {allow: [HTTPResponseBackend/pot, HTTPResponseBackend/other]}\n";
    await on.write("edgewise.yaml", config([noTeapots], allow));
    const { out } = await on.run("plan", "-o", "json");
    expect(refusalsOf(out)).toEqual([]);
    const { warnings }: { warnings: readonly { code: string; address: string }[] } = JSON.parse(out);
    expect(warnings.map(({ code, address }) => `${code} ${address}`)).toEqual([
      "unused-allow HTTPResponseBackend/other",
      "allowed-policy HTTPResponseBackend/pot",
    ]);
    expect((await on.run("apply", "-y")).exit).toBe(0);
  });

  it("warn, and refuse when they fail", async () => {
    const on = await teapot([{ ...noTeapots, effect: "warn", message: "Mind the pot." }]);
    const { out } = await on.run("plan");
    expect(out).toContain("policy no-teapots: Mind the pot.");
    expect((await on.run("apply", "-y")).exit).toBe(0);
    await on.write("edgewise.yaml", config([{ expression: "change.after.spec.status == 1", effect: "warn" }]));
    await on.write("edge/more.yaml", backend("more"));
    const failed = await on.run("apply", "-y");
    expect(failed.exit).toBe(4);
    expect(failed.out).toContain("policy rule-0 can't be evaluated: No such key: status");
  });

  it("are judged again when a saved plan is applied: those of now count, and what was lifted for others does not", async () => {
    const on = await teapot([{ ...noTeapots, name: "then" }]);
    const flags = ["--allow", "HTTPResponseBackend/pot"];
    await on.run("plan", "--out", "plan.json", ...flags);
    const saved = JSON.parse(await on.read("plan.json"));
    expect(saved.refusals).toEqual([]);
    expect((await on.run("apply", "plan.json", "-y")).exit).toBe(4);
    await on.write("edgewise.yaml", config([{ ...noTeapots, name: "now" }]));
    const other = await on.run("apply", "plan.json", "-y", ...flags);
    expect(other.exit).toBe(4);
    expect(other.out).toContain("a guard refuses it now that did not refuse it before: policy now");
    await on.write("edgewise.yaml", config([{ name: "then", expression: "true" }]));
    const whole = await on.run("apply", "plan.json", "-y", ...flags);
    expect(whole.exit).toBe(4);
    expect(whole.out).toContain("policy then denies the plan");
    expect(on.writes()).toBe(0);
    await on.write("edgewise.yaml", config([{ ...noTeapots, name: "then" }]));
    expect((await on.run("apply", "plan.json", "-y", "--approved", saved.hash)).exit).toBe(0);
  });

  it("judge nothing where nothing changes, no drift and no verification, and what destroy deletes", async () => {
    const on = await teapot([]);
    const asked = on.runWith({ terminal: true, answer: () => "yes" }, "apply");
    expect((await asked.ran).exit).toBe(0);
    await on.write("edgewise.yaml", config([{ expression: "true" }]));
    expect((await on.run("apply", "-y")).exit).toBe(0);
    expect((await on.run("drift")).exit).toBe(0);
    const destroyed = await on.run("destroy", "-y");
    expect(destroyed.exit).toBe(4);
    expect(destroyed.out).toContain("policy rule-0 denies the plan");
  });

  it("come to one judgement with and without --base, and are those of the commit with --ref", async () => {
    const on = await repository();
    await on.write("edgewise.yaml", config([noTeapots, { name: "drifted", expression: "change.origin != null" }]));
    await on.write("edge/cup.yaml", backend("cup"));
    on.commit("first");
    await on.write("edge/pot.yaml", backend("pot", "status_code: 418"));
    on.commit("second");
    await on.write("edgewise.yaml", config([]));
    on.commit("third");
    expect(refusalsOf((await on.run("plan", "-o", "json")).out)).toEqual([]);
    for (const flags of [
      ["--ref", "HEAD~1"],
      ["--ref", "HEAD~1", "--base", "HEAD~2"],
    ]) {
      const { out } = await on.run("plan", "-o", "json", ...flags);
      expect(violations("plan", JSON.parse(out))).toEqual([]);
      expect(refusalsOf(out)).toEqual(["policy HTTPResponseBackend/pot"]);
    }
  });

  it("can't be asked about a secret, and repeat none", async () => {
    const secret = "correct-horse-battery-staple";
    const on = await teapot([]);
    await on.write("edge/pot.yaml", backend("pot", 'status_code: 503, body: "Back soon"'));
    expect((await on.run("apply", "-y")).exit).toBe(0);
    on.behind("PATCH", `/backends/http_response/${on.id("HTTPResponseBackend")}`, { body: `old ${secret}` });
    await on.write(
      "edge/route.yaml",
      "apiVersion: edgewise/v1\nkind: HTTPSEdgeRoute\nmetadata: {name: hooks, id: edghtsrt_1}\nspec: {edge: {id: edghts_1}, webhook_verification: {enabled: true, provider: GITHUB, secret: {env: HOOK}}}\n",
    );
    await on.write(
      "edgewise.yaml",
      config([
        { name: "asks", expression: "change.before.spec.body.contains('horse')" },
        { name: "knows", expression: "change.before.spec.body.startsWith('old ')" },
        { name: "repeats", expression: "bool(change.before.spec.body)" },
      ]),
    );
    on.env["HOOK"] = secret;
    const { out, err } = await on.run("plan", "-o", "json", "--only", "HTTPResponseBackend/pot");
    expect(out + err).not.toContain("horse");
    const { refusals }: { refusals: readonly { policy: string }[] } = JSON.parse(out);
    expect(refusals.map(({ policy }) => policy)).toEqual(["knows", "repeats"]);
  });

  it("with mistakes are found by validate, with their places, and refuse every plan", async () => {
    const on = await teapot();
    await on.write(
      "edgewise.yaml",
      `${head}policies:\n  - {name: one, expression: "change.adress == 'x'", message: m}\n  - name: two\n    message: m\n    expression: "(("\n`,
    );
    const { exit, out } = await on.run("validate", "-o", "json");
    expect(exit).toBe(1);
    const { diagnostics }: { diagnostics: readonly { [member: string]: unknown }[] } = JSON.parse(out);
    expect(diagnostics).toMatchObject([
      {
        code: "policy-expression",
        file: "edgewise.yaml",
        line: 6,
        column: 29,
        message: "policy one: No such key: adress (line 1, column 8 of the expression)",
      },
      { code: "policy-expression", line: 9, column: 17 },
    ]);
    const planned = await on.run("plan", "-o", "json");
    expect(planned.exit).toBe(0);
    const { refusals }: { refusals: readonly { [member: string]: unknown }[] } = JSON.parse(planned.out);
    expect(refusals).toMatchObject([
      { code: "policy", policy: "one", message: expect.stringContaining("No such key: adress") },
      { code: "policy", policy: "two" },
    ]);
    expect((await on.run("plan", "--detailed-exitcode")).exit).toBe(4);
    expect((await on.run("apply", "-y")).exit).toBe(4);
    expect(on.writes()).toBe(0);
  });
});

describe("policy test", () => {
  async function saved(policies: readonly Rule[]): Promise<Stage> {
    const on = await teapot([]);
    await on.run("plan", "--out", "tests-plan.json");
    await on.write("tests/pot.json", await on.read("tests-plan.json"));
    await on.write("edgewise.yaml", config(policies));
    return on;
  }

  const plan = "tests/pot.json";

  it("tells what each policy makes of each plan", async () => {
    const on = await saved([
      {
        ...noTeapots,
        tests: [
          { plan, expect: "deny" },
          { plan, expect: "deny", address: "HTTPResponseBackend/pot" },
          { plan, expect: "allow", address: "HTTPResponseBackend/cup" },
        ],
      },
      { expression: "size(plan.changes) == 2", effect: "warn", tests: [{ plan, expect: "warn" }] },
      { expression: "false" },
    ]);
    const { exit, out } = await on.run("policy", "test");
    expect(out).toBe(`no-teapots (deny)
  ok   tests/pot.json: deny (HTTPResponseBackend/pot)
  ok   tests/pot.json, HTTPResponseBackend/pot: deny
  ok   tests/pot.json, HTTPResponseBackend/cup: allow
rule-1 (warn)
  ok   tests/pot.json: warn
rule-2 (deny): has no tests

4 tests of 3 policies: all passed; 1 policy has no tests.
`);
    expect(exit).toBe(0);
  });

  it("exits 1 when one fails, and says why", async () => {
    const on = await saved([
      {
        ...noTeapots,
        tests: [
          { plan, expect: "allow" },
          { plan, expect: "warn" },
          { plan, expect: "deny", address: "HTTPResponseBackend/none" },
          { plan: "tests/none.json", expect: "deny" },
          { plan: ".hidden/pot.json", expect: "deny" },
          { plan: "edge/pot.yaml", expect: "deny" },
          { plan: "tests/part.json", expect: "deny" },
        ],
      },
      { expression: "change.after.spec.nothing == 1", tests: [{ plan, expect: "deny" }] },
      { expression: "true", tests: [{ plan, expect: "deny", address: "HTTPResponseBackend/pot" }] },
    ]);
    await on.write("tests/part.json", '{"format":"edgewise.plan/v1","stack":"demo"}');
    const { exit, out } = await on.run("policy", "test", "-o", "json");
    expect(exit).toBe(1);
    expect(violations("policy-test", JSON.parse(out))).toEqual([]);
    const { policies }: { policies: readonly { tests: readonly { actual: string; error: string | null }[] }[] } =
      JSON.parse(out);
    expect(policies.flatMap(({ tests }) => tests.map(({ actual, error }) => `${actual} ${error ?? ""}`))).toEqual([
      "deny ",
      "deny ",
      "error the plan has no change of HTTPResponseBackend/none",
      expect.stringMatching(/^error .*none\.json/),
      expect.stringMatching(/^error .*begins with a dot/),
      "error the file is not valid JSON",
      expect.stringMatching(/^error the file is not a plan: /),
      expect.stringMatching(/^error HTTPResponseBackend\/cup: No such key: nothing/),
      "error the policy is about the plan as a whole, so its tests name no address",
    ]);
    const text = await on.run("policy", "test");
    expect(text.out).toContain("FAIL tests/pot.json: expected allow, got deny (HTTPResponseBackend/pot)");
    expect(text.out).toContain("9 tests of 3 policies: 9 failed.");
  });

  it("takes plans with only the members that matter, and says where they are wrong", async () => {
    const tests = (file: string, expect: string): object => ({ plan: `tests/${file}.json`, expect });
    const on = await saved([
      {
        name: "no-old-tls",
        expression: 'change.after.spec.?tls_termination.?min_version.orValue("1.2") in ["1.0", "1.1"]',
        tests: [tests("old", "deny"), tests("none", "allow"), tests("typo", "deny")],
      },
      {
        expression: "plan.summary.update == 1 && !has(change.before.spec.tls_termination)",
        tests: [tests("old", "deny")],
      },
    ]);
    const field = '{"path":"spec.tls_termination","before":null,"after":{"min_version":"1.0"}}';
    await on.write("tests/old.json", `{"changes":[{"address":"TLSEdge/api","action":"update","fields":[${field}]}]}`);
    await on.write("tests/none.json", '{"changes":[]}');
    await on.write("tests/typo.json", '{"changes":[{"address":"TLSEdge/api","action":"update","field":[]}]}');
    const { exit, out } = await on.run("policy", "test");
    expect(exit).toBe(1);
    expect(out).toContain("ok   tests/old.json: deny (TLSEdge/api)\n  ok   tests/none.json: allow");
    expect(out).toMatch(/FAIL tests\/typo\.json: expected deny, but the file is not a plan: .*changes\[0\].*field/);
    expect(out).toContain("rule-1 (deny)\n  ok   tests/old.json: deny");
  });
});
