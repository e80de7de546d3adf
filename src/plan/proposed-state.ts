import { EdgewiseError } from "../core/errors.js";
import type { Spec, Value } from "../core/json.js";
import { addrOf } from "../kinds/codecs/reference-codecs.js";
import type { Kind, Reference, ReferenceTarget } from "../kinds/kind.js";
import { type Address, type KindName, addressOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { type Remarks, type WithDefaults, applyDefaults } from "./apply-defaults.js";
import { type Differences, diff, immutableDifferences } from "./diff.js";
import type { LiveResource } from "./live-index.js";
import type { Match } from "./match.js";
import type { PlanContext } from "./plan-context.js";

/** A match with the spec that it is to have. */
export interface ProposedState {
  readonly match: Match;
  /**
   * With defaults; references by name resolved to what is live, the others left as `{name}` or `{address}`.
   * Where nothing differs it is the live spec itself.
   */
  readonly spec: Spec;
  /** The live resource and how it differs; null when nothing is live. */
  readonly compared: ComparedWithLive | null;
  /** Fields that only a replacement can change; empty = no replacement. */
  readonly replacedFor: readonly string[];
  readonly remarks: Remarks;
}

/** A live resource beside the spec that it is to have. */
export interface ComparedWithLive {
  readonly current: LiveResource;
  readonly differences: Differences;
}

/** Kinds that a reference can name. */
const referableKinds: ReadonlySet<KindName> = new Set(
  Object.values(kinds).flatMap(({ fieldList }) => fieldList.flatMap(({ field }) => field.codec.refersTo ?? [])),
);

/** Whether references by name can lead to it. */
export function isReferable({ kind }: Kind): boolean {
  return referableKinds.has(kind);
}

/**
 * Applies defaults to every match, decides which are replaced, resolves the references between them, and compares them
 * with live. An account is mostly unchanged, so unchanged resources keep no state of their own.
 */
export function proposeStates(matches: readonly Match[], context: PlanContext): readonly ProposedState[] {
  const defaulted = matches.map((match) => ({ match, ...withDefaults(match, context) }));
  // Whether something that others refer to is replaced must be known before their references are resolved.
  const referred = new Map(defaulted.map((one) => [one.match.address, one]));
  return defaulted.map(({ match, remarks, replacedFor, spec: unresolved }): ProposedState => {
    const spec = resolveSpec(match.kind, unresolved, (reference) => {
      const target = resolveReference(reference, referred, context);
      if (target === undefined) throw unknownTarget(reference, match, context);
      return target;
    });
    const { current } = match;
    if (current === null) return { match, spec, compared: null, replacedFor, remarks };
    const differences = diff(match.kind, current.spec, spec);
    const same = differences.changed.length === 0 && differences.uncertain.length === 0;
    return { match, spec: same ? current.spec : spec, compared: { current, differences }, replacedFor, remarks };
  });
}

/** A spec with defaults and unresolved references. */
type Defaulted = WithDefaults & Pick<ProposedState, "replacedFor">;

/** A match that references can lead to. */
interface Referred extends Pick<ProposedState, "match" | "replacedFor"> {}

function withDefaults(match: Match, { options }: PlanContext): Defaulted {
  const { current, desired, kind, manifest, refused, retired } = match;
  const live = current === null ? null : withWhatIsToCome(current, retired);
  const defaulted = applyDefaults(kind, desired, live, {
    ignore: manifest.lifecycle.ignore,
    moduleEndpoints: options.moduleEndpoints,
  });
  const replacedFor = live === null || refused ? [] : immutableDifferences(kind, live, defaulted.spec);
  return { ...defaulted, replacedFor };
}

/**
 * The live spec, and what the resource is yet to get from the one that it replaces: a create doesn't take it.
 * @param retired what is left of replacements that were cut short
 */
function withWhatIsToCome({ kind, marker, spec }: LiveResource, retired: readonly LiveResource[]): Spec {
  const replaced = retired.find(({ id }) => id === marker?.replaces);
  if (replaced === undefined) return spec;
  const others = retired.filter((one) => one !== replaced);
  const before = withWhatIsToCome(replaced, others);
  const missing = kind.fieldList.filter(({ field, name }) => field.write === "update" && (spec[name] ?? null) === null);
  return { ...spec, ...Object.fromEntries(missing.map(({ name }) => [name, before[name] ?? null])) };
}

/** A spec with its references by name resolved; the same object when nothing was. */
export function resolveSpec(kind: Kind, spec: Spec, resolve: (reference: Reference) => ReferenceTarget | null): Spec {
  let resolved: Record<string, Value> | null = null;
  for (const { field, name } of kind.fieldList) {
    const value = spec[name];
    if (field.codec.resolve === undefined || value === undefined || value === null) continue;
    const found = field.codec.resolve(value, resolve);
    if (found === value) continue;
    resolved ??= { ...(spec as Record<string, Value>) };
    resolved[name] = found;
  }
  return resolved ?? spec;
}

/** What a reference stands for; null when it stays as it is, undefined when it leads to nothing. */
function resolveReference(
  { kind, part, target }: Reference,
  referred: ReadonlyMap<Address, Referred>,
  { index, options }: PlanContext,
): ReferenceTarget | null | undefined {
  if (!("name" in target) || kind === null) return null;
  const address = addressOf(kind, target.name);
  const found = referred.get(address);
  if (found !== undefined) {
    const { current } = found.match;
    return current === null || found.replacedFor.length > 0 ? null : targetOf(part, current);
  }
  const [live] = index.owned.get(address) ?? [];
  return live !== undefined && options.lookUp ? targetOf(part, live) : undefined;
}

/** What a reference to a live resource stands for; null when the service doesn't show it. */
export function targetOf(
  part: Reference["part"],
  { id, kind, wire }: Pick<LiveResource, "id" | "kind" | "wire">,
): ReferenceTarget | null {
  if (part === "id") return { id };
  const addr = addrOf(kind, wire);
  return addr === null ? null : { addr };
}

function unknownTarget({ kind, target }: Reference, from: Match, { options }: PlanContext): EdgewiseError {
  const { file, line } = from.manifest.source;
  const address = kind !== null && "name" in target ? addressOf(kind, target.name) : "";
  return new EdgewiseError(
    "manifests",
    `${file}:${line}: ${from.address} refers to ${address}, which no manifest describes${options.lookUp ? " and the stack doesn't own" : ""}`,
    { remedy: `write a manifest for ${address}, correct the name, or refer to a live resource by {id: …}` },
  );
}
