import { EdgewiseError } from "../errors.js";
import type { Spec, Value } from "../json.js";
import { addrOf } from "../kinds/codecs/reference-codecs.js";
import { type Kind, type Reference, type ReferenceTarget, fieldList } from "../kinds/kind.js";
import { type Address, type KindName, addressOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { applyDefaults } from "./apply-defaults.js";
import { type Differences, diff, immutableDifferences } from "./diff.js";
import type { LiveIndex, LiveResource } from "./live-index.js";
import type { Match } from "./match.js";
import type { PlanOptions } from "./options.js";

/** A match with the spec that it is to have. */
export interface ProposedState {
  readonly match: Match;
  /**
   * Settled; references by name resolved to what is live, the others left as `{name}` or `{address}`.
   * Where nothing differs it is what is live.
   */
  readonly spec: Spec;
  /** What is live of it, and what differs from that; null when nothing is live. */
  readonly compared: ComparedWithLive | null;
  /** Fields that only a replacement can change; empty = none. */
  readonly immutable: readonly string[];
  readonly disabled: readonly string[];
}

/** A live resource beside the spec that it is to have. */
export interface ComparedWithLive {
  readonly current: LiveResource;
  readonly differences: Differences;
}

type Defaulted = Pick<ProposedState, "spec" | "immutable" | "disabled">;

const none: readonly string[] = [];

/** Kinds that a reference can name. */
const referable: ReadonlySet<KindName> = new Set(
  Object.values(kinds).flatMap(({ fields }) => fieldList(fields).flatMap(({ field }) => field.codec.refersTo ?? [])),
);

/**
 * Settles every match, decides which are replaced, resolves the references between them, and compares. One match after
 * the other as far as can be: what is at rest leaves nothing behind, and an account is mostly at rest.
 */
export function proposeStates(
  matches: readonly Match[],
  index: LiveIndex,
  options: PlanOptions,
): readonly ProposedState[] {
  // Whether something that others refer to is replaced must be known before their references are resolved.
  const referred = new Map<Address, { readonly match: Match; readonly draft: Defaulted }>();
  for (const match of matches) {
    if (referable.has(match.kind.kind)) referred.set(match.address, { match, draft: defaulted(match, options) });
  }
  const resolve = resolver(referred, index, options);
  return matches.map((match): ProposedState => {
    const draft = referred.get(match.address)?.draft ?? defaulted(match, options);
    const spec = resolveSpec(match.kind, draft.spec, (reference) => resolve(reference, match));
    const { disabled, immutable } = draft;
    const { current } = match;
    if (current === null) return { match, spec, compared: null, immutable, disabled };
    const differences = diff(match.kind, current.spec, spec);
    const same = differences.changed.length === 0 && differences.uncertain.length === 0;
    return { match, spec: same ? current.spec : spec, compared: { current, differences }, immutable, disabled };
  });
}

function defaulted({ current, desired, kind, manifest, refused }: Match, { moduleEndpoints }: PlanOptions): Defaulted {
  const live = current?.spec ?? null;
  const { spec, disabled } = applyDefaults(kind, desired, live, { ignore: manifest.lifecycle.ignore, moduleEndpoints });
  return { spec, disabled, immutable: live === null || refused ? none : immutableDifferences(kind, live, spec) };
}

function resolveSpec(kind: Kind, spec: Spec, resolve: (reference: Reference) => ReferenceTarget | null): Spec {
  let resolved: Record<string, Value> | null = null;
  for (const { field, name } of fieldList(kind.fields)) {
    const value = spec[name];
    if (field.codec.resolve === undefined || value === undefined || value === null) continue;
    const found = field.codec.resolve(value, resolve);
    if (found === value) continue;
    resolved ??= { ...(spec as Record<string, Value>) };
    resolved[name] = found;
  }
  return resolved ?? spec;
}

function resolver(
  referred: ReadonlyMap<Address, { readonly match: Match; readonly draft: Defaulted }>,
  index: LiveIndex,
  options: PlanOptions,
): (reference: Reference, from: Match) => ReferenceTarget | null {
  return (reference, from) => {
    if (!("name" in reference.target) || reference.kind === null) return null;
    const address = addressOf(reference.kind, reference.target.name);
    const target = referred.get(address);
    if (target !== undefined) {
      const { draft, match } = target;
      return match.current === null || draft.immutable.length > 0 ? null : targetOf(reference, match.current);
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

function targetOf(reference: Reference, live: Pick<LiveResource, "kind" | "id" | "wire">): ReferenceTarget | null {
  if (reference.part === "id") return { id: live.id };
  const addr = addrOf(live.kind, live.wire);
  return addr === null ? null : { addr };
}
