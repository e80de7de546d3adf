import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exportManifests } from "../../src/export/export-manifests.ts";
import { matchTfState } from "../../src/export/match-tfstate.ts";
import { readTfState } from "../../src/export/read-tfstate.ts";
import { listedKinds } from "../../src/kinds/names.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { loadManifests } from "../../src/library/library-api.ts";
import type { Live } from "../../src/live/live.ts";
import { Account } from "../plan/support/account.ts";
import { hostileLists } from "../support/hostile-worlds.ts";
import { runs } from "../support/runs.ts";
import { instance, shownState, tfState, type StateResource } from "./support/tfstate.ts";

const word = fc.constantFrom("a", "B", "www", "größe", "x-y", "_z");
const place = fc.record({
  name: word,
  module: fc.option(
    fc.tuple(word, fc.string({ unit: "grapheme" })).map(([name, key]) => `module.${name}[${JSON.stringify(key)}]`),
    {
      nil: undefined,
    },
  ),
  key: fc.option(fc.oneof(fc.nat(3), fc.string({ unit: "binary", maxLength: 8 })), { nil: undefined }),
  condition: fc.constantFrom({}, {}, {}, { status: "tainted" as const }, { deposed: "0a1b2c3d" }),
});

/** A state that has some of what is live, in some order, some of it twice, and something that isn't live. */
function states(lists: Live["lists"]): fc.Arbitrary<readonly StateResource[]> {
  const live = listedKinds.flatMap((kind) =>
    lists[kind].flatMap(({ id }) => {
      const type = kinds[kind].terraformTypes?.at(-1);
      return type === undefined ? [] : [{ type: `ngrok_${type}`, id: typeof id === "string" ? id : null }];
    }),
  );
  const others = [
    { type: "ngrok_tcp_address", id: "ra_gone" },
    { type: "ngrok_domain", id: "rd_1" },
    { type: "aws_instance", id: "i-1" },
  ];
  const some = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...others, ...live) }, fc.constantFrom(...others));
  return fc.array(
    fc.tuple(some, place).map(([{ id, type }, { condition, key, module, name }]) => ({
      type,
      name,
      ...(module === undefined ? {} : { module }),
      instances: [instance(type, id, { ...(key === undefined ? {} : { key }), ...condition })],
    })),
    { maxLength: 12 },
  );
}

async function load(files: readonly { readonly path: string; readonly text: string }[]) {
  const root = await mkdtemp(join(tmpdir(), "edgewise-tfstate-"));
  try {
    for (const { path, text } of files) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    return await loadManifests({ root, patterns: files.map(({ path }) => path), stack: "test" });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

describe("whatever is live and stands in a state", () => {
  it("is accounted for once, its plan only adopts, and after apply the plan is empty", async () => {
    const worlds = hostileLists.chain((lists) => fc.tuple(fc.constant(lists), states(lists), fc.boolean()));
    await fc.assert(
      fc.asyncProperty(worlds, async ([lists, resources, shown]) => {
        const state = readTfState(JSON.parse(JSON.stringify((shown ? shownState : tfState)(...resources))));
        if (!("resources" in state)) throw new Error(state.problem);
        const live: Live = { lists, unreadable: [], modules: [] };
        const { count, files, terraform, warnings } = await exportManifests(live, {
          which: "unowned",
          stacks: ["test"],
          kinds: [],
          format: "yaml",
          split: "kind",
          terraform: { ...matchTfState(state.resources, lists), refused: new Map() },
        });
        const accounted = [
          ...(terraform?.exported ?? []).map(({ terraform }) => terraform),
          ...(terraform?.notExported ?? []).map(({ terraform }) => terraform),
          ...(terraform?.unmanaged ?? []).flatMap(({ terraform }) => terraform),
        ];
        expect(accounted.toSorted()).toEqual(state.resources.map(({ address }) => address.text).toSorted());
        expect(warnings.join("\n") + files.map(({ text }) => text).join("\n")).not.toContain("CANARY");
        const { diagnostics, manifests } = await load(files);
        expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
        expect(manifests).toHaveLength(count);
        expect(new Set(terraform?.exported.map(({ address }) => address))).toEqual(
          new Set(manifests.map(({ address }) => address)),
        );
        const account = new Account({}, lists);
        const plan = account.plan(manifests);
        expect(plan.refusals).toEqual([]);
        expect(plan.changes.map(({ action }) => action)).toEqual(manifests.map(() => "adopt"));
        expect(account.run(plan).troubles.filter((trouble) => trouble.startsWith("op-"))).toEqual([]);
        expect(account.plan(manifests)).toMatchObject({ refusals: [], changes: [] });
      }),
      runs(10),
    );
  });
});
