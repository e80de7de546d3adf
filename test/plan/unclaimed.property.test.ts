import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareManifests, forListedKinds } from "../../src/kinds/names.ts";
import { NormalForms } from "../../src/kinds/normal-form.ts";
import type { Live } from "../../src/live/live.ts";
import { matchAll } from "../../src/plan/match.ts";
import { planContext } from "../../src/plan/plan-context.ts";
import { runs } from "../support/runs.ts";
import { defaults } from "./support/account.ts";
import { backend } from "./support/manifests.ts";

/** Few names and ids, so that several resources often have the same. */
const names = fc.constantFrom("a", "b", "c", "d");
const resources = fc.array(
  fc.record({ id: fc.nat({ max: 5 }), name: fc.option(names), owner: fc.constantFrom("test", "test", "other") }),
  { maxLength: 5 },
);
const manifests = fc.array(fc.record({ name: names, id: fc.option(fc.nat({ max: 5 }), { freq: 4 }) }), {
  maxLength: 5,
});

const idOf = (number: number): string => `bkdhr_${number}`;

describe("what no manifest claims", () => {
  it("is every resource of the stack that no match takes", () => {
    fc.assert(
      fc.property(resources, manifests, (listed, described) => {
        const wires = listed.map(({ id, name, owner }) => ({
          id: idOf(id),
          status_code: 503,
          metadata: name === null ? "" : JSON.stringify({ edgewise: { stack: owner, name } }),
        }));
        const live: Live = {
          lists: { ...forListedKinds(() => []), HTTPResponseBackend: wires },
          unreadable: [],
          modules: [],
        };
        const context = planContext(live, { ...defaults, takeOver: true }, new NormalForms());
        const desired = described.map(({ name, id }) => backend(name, {}, { id: id === null ? null : idOf(id) }));
        const { matches, unclaimed } = matchAll(desired.toSorted(compareManifests), context);
        expect(matches).toHaveLength(desired.length);
        const taken = new Set(
          matches.flatMap(({ current, duplicates, retired }) =>
            [...(current === null ? [] : [current]), ...duplicates, ...retired].map(({ key }) => key),
          ),
        );
        expect(unclaimed).toEqual(context.index.mine.filter(({ key }) => !taken.has(key)));
      }),
      runs(500),
    );
  });
});
