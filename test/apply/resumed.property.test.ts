import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { readMarker } from "../../src/kinds/marker.ts";
import { listedKinds } from "../../src/kinds/names.ts";
import type { PlanOptions } from "../../src/plan/plan-context.ts";
import { Account } from "../plan/support/account.ts";
import { runs } from "../support/runs.ts";
import { allow, manifestsOf, worlds } from "../support/worlds.ts";
import { type Trouble, applyToAccount } from "./support/apply-to-account.ts";

const permissive: Partial<PlanOptions> = { allow, maxDeletes: { count: 1000 }, allowEmpty: true };

const cuts: readonly ((after: number) => Trouble)[] = [
  (after) => ({ refuses: (_request, before) => before >= after }),
  (after) => ({ signalAfter: after }),
  (after) => ({ refuses: (_request, before) => before === after }),
];

function contentsOf(account: Account, known: ReadonlySet<string>): readonly string[] {
  const all = listedKinds.flatMap((kind) => account.list(kind).map((wire) => ({ kind, wire })));
  const made = all.filter(({ wire }) => !known.has(String(wire["id"])));
  const contents = new Map<string, string>();
  const show = (wire: JsonObject): string => {
    const { id, uri: _uri, created_at: _at, metadata, addr, ...rest } = wire;
    const { marker, user } = readMarker(metadata);
    const { replaces: _replaces, ...owned } = marker ?? {};
    const own = known.has(String(id)) ? { id, addr } : {};
    const text = JSON.stringify({ ...own, marker: marker === null ? null : owned, user, ...rest });
    return [...contents].reduce((shown, [name, content]) => shown.replaceAll(name, content), text);
  };
  // What edges refer to refers to nothing itself.
  for (const { kind, wire } of made) {
    if (kind === "TLSEdge") continue;
    const content = `<${kind} ${show(wire).replaceAll(/"/gu, "'")}>`;
    contents.set(String(wire["id"]), content);
    if (typeof wire["addr"] === "string") contents.set(wire["addr"], content);
  }
  return all.map(({ kind, wire }) => `${kind} ${show(wire)}`).toSorted();
}

describe("an apply that is cut and applied again", () => {
  it("ends as one that ran through, wherever it was cut", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, worlds, async (from, to) => {
        const desired = manifestsOf(to);
        const begin = (): Account => {
          const account = new Account();
          account.apply(manifestsOf(from), permissive);
          return account;
        };
        const whole = begin();
        const known = new Set(listedKinds.flatMap((kind) => whole.list(kind).map(({ id }) => String(id))));
        const { operations } = whole.plan(desired, permissive);
        expect((await applyToAccount(whole, whole.plan(desired, permissive))).outcome).toMatch(/applied|nothing/u);
        const expected = contentsOf(whole, known);
        for (let after = 1; after < operations.length; after += 1) {
          for (const cut of cuts) {
            const account = begin();
            await applyToAccount(account, account.plan(desired, permissive), cut(after));
            const rest = account.plan(desired, permissive);
            expect(rest.refusals).toEqual([]);
            expect(rest.warnings.map(({ code }) => code)).not.toContain("allowed-duplicate-marker");
            await applyToAccount(account, rest);
            expect(contentsOf(account, known)).toEqual(expected);
            expect(account.plan(desired, permissive).changes).toEqual([]);
          }
        }
      }),
      runs(8),
    );
  });
});
