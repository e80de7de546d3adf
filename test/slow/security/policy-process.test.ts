import { describe, expect, it, onTestFinished, vi } from "vitest";
import { PolicyFailure, askProcess } from "../../../src/policies/ask-process.ts";
import { judgePlan } from "../../../src/policies/judge-plan.ts";
import { change, planOf } from "../../report/sample-plan.ts";

const changes = Array.from({ length: 300 }, (_, index) => ({
  address: `TLSEdge/e${index}`,
  action: "update",
  fields: [],
}));
const plan = JSON.stringify({ changes });

/** `changes` within `changes` within `changes`: more steps than anybody waits for. */
const endless =
  "plan.changes.all(a, plan.changes.all(b, plan.changes.all(c, plan.changes.all(d, plan.changes.all(e, e.action == a.action)))))";

function doubled(start: string, use: string): string {
  const names = ["a", "b", "c", "d", "e", "f", "g"];
  return names.reduceRight(
    (inner, name, at) =>
      at === 0
        ? `cel.bind(${name}, ${start}, ${inner})`
        : `cel.bind(${name}, ${Array.from({ length: 16 }, () => names[at - 1]).join(" + ")}, ${inner})`,
    use,
  );
}

async function failureOf(expressions: readonly string[], deadlineMs = 2000): Promise<PolicyFailure> {
  const failure: unknown = await askProcess({ expressions, plan }, { deadlineMs }).catch((error: unknown) => error);
  if (failure instanceof PolicyFailure) return failure;
  throw new Error(`it did not fail: ${JSON.stringify(failure)}`);
}

describe("askProcess", () => {
  it("answers, and answers again", async () => {
    for (const name of ["e1", "e2"]) {
      const reply = await askProcess({ expressions: [`change.name == '${name}'`], plan });
      expect(reply).toEqual({
        hits: [{ policy: 0, address: `TLSEdge/${name}`, error: null }],
        perChange: [true],
        more: false,
      });
    }
    expect(await askProcess({ expressions: ["true", "(("], plan: null })).toMatchObject({
      hits: [{ policy: 1, error: expect.stringMatching(/^Unexpected token: EOF/) }],
    });
  });

  it("matches patterns of RE2, in linear time", async () => {
    const text = `'${"a".repeat(5000)}b'`;
    // `(?i)` is RE2's, and V8 tries `(a+)+$` in more ways than anybody waits for.
    const expressions = [`${text}.matches('(?i)^A(a+)+$')`, `${text}.matches(dyn('(a+)+$'))`];
    expect(await askProcess({ expressions: [...expressions, "'a'.matches('(?=a)')"], plan })).toMatchObject({
      hits: [{ policy: 2, error: expect.stringContaining('(?=a)" is not a pattern of RE2') }],
    });
  });

  it("kills what takes too long, names the policy, and answers again", async () => {
    const failure = await failureOf(["true", endless], 300);
    expect(failure.message).toBe("it takes longer than 0.3 s");
    expect(failure.policy).toBe(1);
    expect(await askProcess({ expressions: ["true"], plan })).toHaveProperty("hits");
  });

  it.each([
    ["a text that is split", doubled("'aaaaaaaa'", "size(g.split('')) > 3")],
    ["lists of lists", "plan.changes.map(a, plan.changes.map(b, plan.changes.map(c, [a, b, c]))).size() > 3"],
  ])("survives what takes too much memory: %s", async (_what, expression) => {
    const failure = await failureOf(["true", expression]);
    expect(failure.policy).toBe(1);
    expect(failure.message).toMatch(/too much memory|takes longer/);
    expect(await askProcess({ expressions: ["true"], plan })).toHaveProperty("hits");
  });

  it("ends at once when it is stopped, also while it waits for others, and answers again", async () => {
    const stopping = new AbortController();
    const asked = Array.from({ length: 6 }, async () =>
      askProcess({ expressions: [endless], plan }, { stop: stopping.signal }).catch((error: unknown) => error),
    );
    setTimeout(() => stopping.abort(), 300);
    for (const outcome of await Promise.all(asked)) expect(outcome).toMatchObject({ code: "interrupted", exit: 130 });
    expect(await askProcess({ expressions: ["true"], plan })).toHaveProperty("hits");
  });

  it("makes a refusal of the plan where no process can be started", async () => {
    const { execPath } = process;
    const policy = { name: "one", expression: "false", message: "m", effect: "warn", tests: [] } as const;
    const judged = async () => judgePlan(planOf([change("TLSEdge/a", "delete", [])]), [policy], { allow: [] });
    process.execPath = "/nonexistent/node";
    // More at once than the process that is kept for the next.
    const plans = await Promise.all([judged(), judged(), judged()]).finally(() => {
      process.execPath = execPath;
    });
    expect(plans.flatMap(({ refusals }) => refusals)).toContainEqual(expect.objectContaining({ code: "policy" }));
    expect((await judged()).refusals).toEqual([]);
  });

  it("gives the process nothing of this one's environment", async () => {
    process.env["EDGEWISE_API_KEY"] = "key-of-nobody";
    onTestFinished(() => void delete process.env["EDGEWISE_API_KEY"]);
    // An expression has no function for it; that there is none is what the other tests hold. This holds the process.
    const { readFileSync } = await import("node:fs");
    const asked = failureOf(["true", endless], 1000);
    const environment = await vi.waitFor(() => {
      const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ");
      const own = children.find((one) => readFileSync(`/proc/${one}/cmdline`, "utf8").includes("evaluate-policies"));
      if (own === undefined) throw new Error("it was not started");
      return readFileSync(`/proc/${own}/environ`, "utf8");
    });
    expect(environment).not.toMatch(/EDGEWISE|PATH=/);
    await asked;
  });
});
