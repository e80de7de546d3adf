import { EdgewiseError } from "../core/errors.js";
import type { JsonObject, Spec, Value } from "../core/json.js";
import { Secret } from "../core/secret.js";
import { type Address, addressOf, forListedKinds } from "../kinds/names.js";
import { modulesNamed, specFromManifest } from "../kinds/normal-form.js";
import { isValueObject } from "../kinds/policy/secret-places.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import { addressOfLive, indexLive, referencesIn } from "./live-index.js";
import { plan } from "./make-plan.js";
import type { PlanOptions } from "./plan-context.js";
import { runOnModel } from "./rehearse.js";

/** The base, applied to an empty account in which all ids that it names exist. */
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
  const ran = runOnModel({ live: empty, options, operations, changed: [], dangling: new Set() }, "base");
  if ("live" in ran) return withSecrets(ran.live, manifests, options);
  throw new EdgewiseError("manifests", `the manifests of the base can't be run through the model: ${ran.problem}`);
}

/** The manifest's values, in place of the model's masks. */
function withSecrets(live: Live, manifests: readonly Manifest[], options: PlanOptions): Live {
  const specs = new Map<string, Spec>();
  for (const { address, id, kind, spec } of manifests)
    specs.set(id === null ? address : addressOf(kind, id), specFromManifest(kinds[kind], spec));
  const owned = new Map<unknown, Address>();
  for (const one of indexLive(live, options).mine) owned.set(one.wire, addressOfLive(one));
  const filled = <T>(modules: T & object, address: Address | undefined): T => {
    const spec = specs.get(address ?? "") ?? {};
    const entries = Object.entries(modules).map(([name, module]: [string, Value]) => {
      const own = spec[name];
      if (!isValueObject(module) || !isValueObject(own)) return [name, module];
      const members = Object.entries(module).map(([member, value]) => [
        member,
        value instanceof Secret ? own[member] : value,
      ]);
      return [name, Object.fromEntries(members)];
    });
    return Object.fromEntries(entries) as T;
  };
  return {
    ...live,
    lists: forListedKinds((kind) => live.lists[kind].map((wire) => filled(wire, owned.get(wire)))),
    modules: live.modules.map((one) => ({ ...one, modules: filled(one.modules, addressOf(one.kind, one.id)) })),
  };
}

export function withoutIds(manifests: readonly Manifest[]): readonly Manifest[] {
  return manifests.map((one) => (kinds[one.kind].collection === null ? one : { ...one, id: null }));
}
