import { describe, expect, it } from "vitest";
import type { Result } from "../../../src/apply/result.ts";
import { planOf, patch } from "../../apply/support/operations.ts";
import type { Applied } from "./support/chaotic-apply.ts";
import { secrets } from "./support/desired.ts";
import { spoken } from "./support/spoken.ts";
import { lies, type Served } from "./support/truth.ts";

const operation = patch("op-1", "a", { description: "x" });
const plan = planOf([operation]);

function applied(status: Result["operations"][number]["status"], exit: number, announced = true): Applied {
  const { id, address, kind, method, path, resourceId } = operation;
  const about = { id, address, kind, status, httpStatus: 200, resourceId, error: null };
  const event = {
    event: "request",
    time: "",
    op: id,
    address,
    method,
    path,
    purpose: "operation",
    attempt: 1,
  } as const;
  const result: Result = {
    format: "edgewise.result/v1",
    stack: "chaos",
    outcome: "applied",
    verified: null,
    operations: [about],
    refusals: [],
    warnings: [],
    interrupted: false,
  };
  return { caller: "run 1", plan, result, exit, events: announced ? [event] : [], shown: "", error: null };
}

function served(status: number, caller = "run 1"): readonly Served[] {
  const { method, path, body } = operation;
  return [{ caller, method, path, body, status, response: null, at: 0, changed: status < 300 }];
}

describe("the check of what a run reports", () => {
  it.each([
    ["done and exit 0", applied("done", 0), served(200)],
    ["unknown and exit 3, done", applied("unknown", 3), served(200)],
    ["skipped, done by another", applied("skipped", 1, false), served(200, "run 2")],
  ])("believes %s", (_, what, seen) => {
    expect(lies(what, seen)).toEqual([]);
  });

  it.each([
    ["done, but it was refused", applied("done", 0), served(400), "never was"],
    ["failed, but it was done", applied("failed", 3), served(200), "it was done"],
    ["unknown, but never sent", applied("unknown", 3, false), [], "never sent"],
    ["exit 1 after a change", applied("unknown", 1), served(200), "exit code 1"],
    ["exit 0 with something open", applied("unknown", 0), served(200), "exit code 0"],
    ["a write that no event announced", applied("done", 0, false), served(200), "not announced"],
  ])("does not believe %s", (_, what, seen, words) => {
    expect(lies(what, seen).join()).toContain(words);
  });
});

it.each(Object.entries(secrets))(
  "the search for secrets finds the %s in JSON, in a URL and in base64",
  (name, secret) => {
    const forms = [
      JSON.stringify({ a: secret }),
      encodeURIComponent(secret),
      Buffer.from(`x:${secret}`).toString("base64"),
    ];
    for (const form of forms) expect(spoken(`… ${form} …`, []).join()).toContain(name);
  },
);
