import { EdgewiseError } from "../core/errors.js";
import type { JsonObject } from "../core/json.js";
import { forListedKinds } from "../kinds/names.js";
import { modulesNamed, specFromManifest } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import { referencesIn } from "./live-index.js";
import { plan } from "./make-plan.js";
import type { PlanOptions } from "./plan-context.js";
import { runOnModel } from "./rehearse.js";

/** The base, applied to an account that has nothing but the ids that it names. */
export function modelledLive(base: readonly Manifest[], desired: readonly Manifest[], options: PlanOptions): Live {
  const all = [...base, ...desired];
  const named = all.flatMap(({ kind, spec }) => referencesIn(kinds[kind], specFromManifest(kinds[kind], spec)));
  const empty: Live = {
    lists: forListedKinds((kind) => {
      const ids = new Map<string, JsonObject>();
      for (const { kind: referred, target } of named.map(({ reference }) => reference)) {
        if (referred !== kind) continue;
        if ("id" in target) ids.set(target.id, { id: target.id });
        if (!("stack" in target)) continue;
        const id = `${target.stack}/${target.named}`;
        ids.set(id, { id, metadata: JSON.stringify({ edgewise: { stack: target.stack, name: target.named } }) });
      }
      return [...ids.values()];
    }),
    unreadable: [],
    modules: modulesNamed(all).map(({ names, ...place }) => ({
      ...place,
      modules: Object.fromEntries(names.map((name) => [name, null])),
    })),
  };
  const manifests = withoutIds(base);
  const asked: PlanOptions = { ...options, only: null, exclude: [], lookUp: false, prune: false, rehearse: false };
  const { operations } = plan(manifests, empty, asked);
  // Other ids than those of the rehearsal that follows.
  const ran = runOnModel({ live: empty, options, operations, manifests, changed: [], dangling: new Set() }, "base");
  if ("live" in ran) return ran.live;
  throw new EdgewiseError("manifests", `the manifests of the base can't be run through the model: ${ran.problem}`);
}

export function withoutIds(manifests: readonly Manifest[]): readonly Manifest[] {
  return manifests.map((one) => (kinds[one.kind].collection === null ? one : { ...one, id: null }));
}
