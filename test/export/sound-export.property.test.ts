import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ExportOptions, type Exported, exportManifests } from "../../src/export/export-manifests.ts";
import { readMarker } from "../../src/kinds/marker.ts";
import { listedKinds } from "../../src/kinds/names.ts";
import { loadManifests } from "../../src/index.ts";
import type { Live } from "../../src/live/live.ts";
import type { Manifest } from "../../src/manifest/manifest.ts";
import type { Change } from "../../src/plan/plan-format.ts";
import { Account } from "../plan/support/account.ts";
import { hostileLists } from "../support/hostile-worlds.ts";
import { runs } from "../support/runs.ts";

const unowned: ExportOptions = { which: "unowned", stacks: ["test"], kinds: [], format: "yaml" };

async function load(
  exported: Exported,
): Promise<{ readonly errors: readonly string[]; readonly manifests: readonly Manifest[] }> {
  const root = await mkdtemp(join(tmpdir(), "edgewise-sound-"));
  try {
    for (const { path, text } of exported.files) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    const patterns = exported.files.map(({ path }) => path);
    const { manifests, diagnostics } = await loadManifests({ root, patterns, stack: "test" });
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    return { errors: errors.map(({ code, message }) => `${code}: ${message}`), manifests };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** All that a change does besides setting its marker. What nobody knows without its secret doesn't count. */
function beyondMarker({ action, address, fields }: Change): readonly string[] {
  return fields.flatMap(({ path, unavailable, unknown }) =>
    path === "metadata.marker" || unknown === true || unavailable !== undefined ? [] : [`${action} ${address} ${path}`],
  );
}

describe("whatever is live", () => {
  it("its export validates, its plan only adopts, and after apply the plan is empty", async () => {
    await fc.assert(
      fc.asyncProperty(
        hostileLists,
        fc.subarray([...listedKinds], { maxLength: 1 }),
        fc.constantFrom<Pick<ExportOptions, "format">>({ format: "yaml" }, { format: "json" }),
        async (all, gone, how) => {
          const lists: Live["lists"] = { ...all, ...Object.fromEntries(gone.map((kind) => [kind, []])) };
          const unreadable = gone.map((kind) => ({ kind, status: 410 }));
          const account = new Account({}, lists);
          const live: Live = { lists, unreadable, modules: [] };
          const exported = await exportManifests(live, { ...unowned, ...how });
          const { errors, manifests } = await load(exported);
          expect(errors).toEqual([]);
          expect(manifests).toHaveLength(exported.count);
          account.live = () => live;
          const plan = account.plan(manifests);
          expect(plan.refusals).toEqual([]);
          expect(plan.changes.flatMap(beyondMarker)).toEqual([]);
          expect(plan.changes.map(({ action }) => action)).toEqual(manifests.map(() => "adopt"));
          // Every unowned resource has a manifest, or a line that says why not.
          const adopted = new Set(manifests.map(({ id }) => id));
          for (const [kind, list] of Object.entries(lists)) {
            for (const { id, metadata } of list) {
              if (adopted.has(String(id)) || readMarker(metadata).marker !== null) continue;
              expect(exported.warnings.join("\n")).toContain(`${kind} ${String(id)}`);
            }
          }
          const applied = new Account({}, lists);
          expect(applied.run(plan).troubles.filter((trouble) => trouble.startsWith("op-"))).toEqual([]);
          const after: Live = { lists: applied.live().lists, unreadable, modules: [] };
          applied.live = () => after;
          expect(applied.plan(manifests)).toMatchObject({ refusals: [], changes: [] });
          // What is owned now is exported in full: even with pruning nothing is left to do.
          const owned = await load(await exportManifests(after, { ...unowned, ...how, which: "owned" }));
          expect(owned.errors).toEqual([]);
          expect(owned.manifests).toHaveLength(manifests.length);
          expect(applied.plan(owned.manifests, { allowEmpty: true })).toMatchObject({ refusals: [], changes: [] });
        },
      ),
      runs(10),
    );
  });
});
