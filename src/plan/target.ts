import type { Kind, Reference, ReferenceTarget } from "../kinds/kind.js";
import { addressOf, type Address } from "../kinds/names.js";
import type { Spec, Value } from "../kinds/value.js";
import { EdgewiseError } from "../errors.js";
import { immutableDifferences } from "./diff.js";
import type { LiveIndex } from "./live-resource.js";
import type { Match } from "./match.js";
import type { PlanOptions } from "./options.js";
import { settle } from "./settle.js";

/** A match with the spec that it is to have. */
export interface Target {
  readonly match: Match;
  /** Settled; references by name resolved to what is live, the others left as `{name}` or `{address}`. */
  readonly spec: Spec;
  /** Fields that only a replacement can change; empty = none. */
  readonly immutable: readonly string[];
  readonly disabled: readonly string[];
}

/** Settles every match, decides which are replaced, then resolves the references between them. */
export function targetsOf(matches: readonly Match[], index: LiveIndex, options: PlanOptions): readonly Target[] {
  const drafts = matches.map((match): Target => {
    const live = match.current?.spec ?? null;
    const ignore = match.manifest.lifecycle.ignore;
    const { spec, disabled } = settle(match.kind, match.desired, live, {
      ignore,
      moduleEndpoints: options.moduleEndpoints,
    });
    const immutable = live === null || match.refused ? [] : immutableDifferences(match.kind, live, spec);
    return { match, spec, immutable, disabled };
  });
  const resolve = resolver(drafts, index, options);
  return drafts.map((target) => {
    const spec = resolveSpec(target.match.kind, target.spec, (reference) => resolve(reference, target.match));
    return spec === target.spec ? target : { ...target, spec };
  });
}

function resolveSpec(kind: Kind, spec: Spec, resolve: (reference: Reference) => ReferenceTarget | null): Spec {
  let resolved: Record<string, Value> | null = null;
  for (const name in kind.fields) {
    const codec = kind.fields[name]?.codec;
    const value = spec[name];
    if (codec?.resolve === undefined || value === undefined || value === null) continue;
    const found = codec.resolve(value, resolve);
    if (found === value) continue;
    resolved ??= { ...(spec as Record<string, Value>) };
    resolved[name] = found;
  }
  return resolved ?? spec;
}

function resolver(
  targets: readonly Target[],
  index: LiveIndex,
  options: PlanOptions,
): (reference: Reference, from: Match) => ReferenceTarget | null {
  const byAddress = new Map<Address, Target>(targets.map((target) => [target.match.address, target]));
  return (reference, from) => {
    if (!("name" in reference.target) || reference.kind === null) return null;
    const address = addressOf(reference.kind, reference.target.name);
    const target = byAddress.get(address);
    if (target !== undefined) {
      const made = target.match.current === null || target.immutable.length > 0;
      return made ? null : targetOf(reference, target.match.current);
    }
    const [live] = index.owned.get(address) ?? [];
    if (live !== undefined && options.lookUp) return targetOf(reference, live);
    throw new EdgewiseError(
      "manifests",
      `${from.manifest.source.file}:${from.manifest.source.line}: ${from.address} refers to ${address}, which no manifest describes${options.lookUp ? " and the stack doesn't own" : ""}`,
      { remedy: `write a manifest for ${address}, correct the name, or refer to a live resource by {id: …}` },
    );
  };
}

function targetOf(
  reference: Reference,
  live: { readonly id: string; readonly wire: { readonly addr?: unknown } },
): ReferenceTarget | null {
  if (reference.part === "id") return { id: live.id };
  return typeof live.wire.addr === "string" ? { addr: live.wire.addr } : null;
}
