import type { Value } from "../core/json.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { documentOf } from "../kinds/policy/policy-codec.js";
import { isValueObject, secretsIn } from "../kinds/policy/secret-places.js";
import { SecretPolicy } from "../kinds/policy/secret-policy.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import { Secret } from "../core/secret.js";
import { addressOfLive, indexLive, instanceKey } from "./live-index.js";
import type { PlanOptions } from "./options.js";

/** By address: where in its policies a manifest names sources, as paths in which `*` is each item of a list. */
export interface SourcePlaces {
  readonly [address: string]: readonly string[];
}

/** The places in policies where manifests name sources. */
export function sourcePlaces(manifests: readonly Manifest[]): SourcePlaces {
  return Object.fromEntries(
    manifests.flatMap(({ address, kind, spec }): [string, readonly string[]][] => {
      const found = secretsIn(spec).length === 0 ? [] : placesIn(specFromManifest(kinds[kind], spec));
      return found.length === 0 ? [] : [[address, [...new Set(found)]]];
    }),
  );
}

function placesIn(value: Value | undefined, at = "", inPolicy = false): readonly string[] {
  if (value instanceof SecretPolicy) return placesIn(value.document, at, true);
  if (value instanceof Secret) return inPolicy ? [at] : [];
  return partsOf(value).flatMap(([name, part]) => placesIn(part, `${at}/${name}`, inPolicy));
}

/**
 * The live texts at the places of policies where manifests named sources: a commit that drops a source must not make a plan
 * show what it gave. What `manifests` say in clear is no secret.
 */
export function formerSecrets(
  places: SourcePlaces,
  manifests: readonly Manifest[],
  live: Live,
  options: Pick<PlanOptions, "account" | "stack" | "previousStacks">,
): readonly string[] {
  if (Object.keys(places).length === 0) return [];
  const { byInstance, mine } = indexLive(live, options);
  const adopted = manifests.flatMap(({ address, id, kind }) => {
    const resource = id === null ? undefined : byInstance.get(instanceKey(kind, id));
    return resource === undefined ? [] : [{ address, spec: resource.spec }];
  });
  const owned = mine.map((resource) => ({ address: addressOfLive(resource), spec: resource.spec }));
  const clear = new Set(manifests.flatMap(({ spec }) => textsIn(spec)));
  return [...owned, ...adopted]
    .flatMap(({ address, spec }) => textsAt(spec, new Set(places[address])))
    .filter((text) => !clear.has(text));
}

function textsAt(value: Value | undefined, places: ReadonlySet<string>, at = ""): readonly string[] {
  if (places.size === 0) return [];
  if (places.has(at)) return textsIn(value);
  const parts = partsOf(typeof value === "string" || value instanceof SecretPolicy ? documentOf(value) : value);
  return parts.flatMap(([name, part]) => textsAt(part, places, `${at}/${name}`));
}

function textsIn(value: Value | undefined): readonly string[] {
  return typeof value === "string" ? [value] : partsOf(value).flatMap(([, part]) => textsIn(part));
}

/** What stands directly inside a value; nothing inside of a secret. */
function partsOf(value: Value | undefined): readonly (readonly [name: string, part: Value | undefined])[] {
  if (Array.isArray(value)) return (value as readonly Value[]).map((item) => ["*", item]);
  return isValueObject(value) ? Object.entries(value) : [];
}
