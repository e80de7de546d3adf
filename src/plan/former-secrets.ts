import type { Value } from "../json.js";
import { documentOf } from "../kinds/policy/policy-codec.js";
import { isValueObject, secretsIn } from "../kinds/policy/secret-places.js";
import { SecretPolicy } from "../kinds/policy/secret-policy.js";
import { type Sources, sourcesOf } from "../kinds/policy/source-places.js";
import type { NormalForms } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import { indexLive, instanceKey } from "./live-index.js";
import type { PlanOptions } from "./options.js";

/**
 * The live texts at the places of policies where the manifests of the merge base name sources: a branch that drops a
 * source must not make a plan show what it gave. What the base says in clear is no secret.
 */
export function formerSecrets(
  former: readonly Manifest[],
  live: Live,
  options: Pick<PlanOptions, "stack" | "previousStacks">,
  normalForms: NormalForms,
): readonly string[] {
  const holding = former.filter(({ spec }) => secretsIn(spec).length > 0);
  if (holding.length === 0) return [];
  const { byInstance, owned } = indexLive(live, options, normalForms);
  return holding.flatMap(({ address, id, kind, spec }) => {
    const said = normalForms.specOf(kinds[kind], spec);
    const adopted = id === null ? undefined : byInstance.get(instanceKey(kind, id));
    const resources = [...(owned.get(address) ?? []), ...(adopted === undefined ? [] : [adopted])];
    return resources.flatMap((resource) => textsBeside(said, resource.spec));
  });
}

function textsBeside(said: Value | undefined, live: Value | undefined): readonly string[] {
  if (said instanceof SecretPolicy) {
    const clear = new Set(textsIn(said.document));
    const texts = textsAt(documentOf(live ?? null), sourcesOf(said.document));
    return texts.filter((text) => !clear.has(text));
  }
  if (!isValueObject(said) || !isValueObject(live)) return [];
  return Object.keys(said).flatMap((member) => textsBeside(said[member], live[member]));
}

function textsAt(value: Value | undefined, sources: Sources | undefined): readonly string[] {
  if (sources === undefined) return [];
  if (sources.here) return textsIn(value);
  if (Array.isArray(value)) return (value as readonly Value[]).flatMap((item) => textsAt(item, sources.items));
  if (!isValueObject(value)) return [];
  return Object.keys(value).flatMap((member) => textsAt(value[member], sources.members.get(member)));
}

function textsIn(value: Value | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return (value as readonly Value[]).flatMap(textsIn);
  return isValueObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
