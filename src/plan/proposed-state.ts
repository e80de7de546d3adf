import { EdgewiseError } from "../core/errors.js";
import type { Spec, Value } from "../core/json.js";
import { addrOf } from "../kinds/codecs/reference-codecs.js";
import type { Kind, Reference, ReferenceTarget } from "../kinds/kind.js";
import { type Address, addressOf } from "../kinds/names.js";
import type { Manifest } from "../manifest/manifest.js";
import { type WithDefaults, applyDefaults } from "./defaults.js";
import { type Differences, diff, immutableDifferences } from "./diff.js";
import type { LiveResource } from "./live-index.js";
import type { Match } from "./match.js";
import type { PlanContext } from "./plan-context.js";

/** The live spec itself where nothing differs. */
export interface ProposedState extends WithDefaults {
  readonly match: Match;
  readonly compared: ComparedWithLive | null;
  /** Fields that only a replacement can change. */
  readonly replacedFor: readonly string[];
}

export interface ComparedWithLive {
  readonly current: LiveResource;
  readonly differences: Differences;
}

export interface ComparedAll {
  readonly manifests: readonly Manifest[];
  readonly states: readonly ProposedState[];
  readonly unclaimed: readonly LiveResource[];
  readonly context: PlanContext;
}

export function proposeStates(matches: readonly Match[], context: PlanContext): readonly ProposedState[] {
  const defaulted = matches.map((match) => {
    const { current, desired, kind, manifest, refused, retired } = match;
    const live = current === null ? null : withWhatIsToCome(current, retired);
    const options = { ignore: manifest.lifecycle.ignore, moduleEndpoints: context.options.moduleEndpoints };
    const { remarks, spec } = applyDefaults(kind, desired, live, options);
    const replacedFor = live === null || refused ? [] : immutableDifferences(kind, live, spec);
    return { match, remarks, replacedFor, spec };
  });
  // References to what is replaced are resolved later.
  const described = new Map(defaulted.map((one) => [one.match.address, one]));
  return defaulted.map((one): ProposedState => {
    const { kind, current } = one.match;
    const spec = resolveSpec(kind, one.spec, (reference) => resolveReference(reference, one.match, described, context));
    if (current === null) return { ...one, spec, compared: null };
    const differences = diff(kind, current.spec, spec);
    const isSame = differences.changed.length === 0 && differences.uncertain.length === 0;
    return { ...one, spec: isSame ? current.spec : spec, compared: { current, differences } };
  });
}

/** With what a create doesn't take and the one that it replaces had. */
function withWhatIsToCome({ kind, marker, spec }: LiveResource, retired: readonly LiveResource[]): Spec {
  const replaced = retired.find(({ id }) => id === marker?.replaces);
  const missing = kind.fieldList.filter(({ field, name }) => field.write === "update" && (spec[name] ?? null) === null);
  if (replaced === undefined || missing.length === 0) return spec;
  return { ...spec, ...Object.fromEntries(missing.map(({ name }) => [name, replaced.spec[name] ?? null])) };
}

function resolveSpec(kind: Kind, spec: Spec, resolve: (reference: Reference) => ReferenceTarget | null): Spec {
  const resolved = kind.fieldList.flatMap(({ field: { codec }, name }): [string, Value][] => {
    const value = spec[name] ?? null;
    return codec.resolve === undefined || value === null ? [] : [[name, codec.resolve(value, resolve)]];
  });
  return { ...spec, ...Object.fromEntries(resolved) };
}

/** Null when the reference stays as it is. */
function resolveReference(
  { kind, part, target }: Reference,
  from: Match,
  described: ReadonlyMap<Address, Pick<ProposedState, "match" | "replacedFor">>,
  { findings, index, live: { unreadable }, options: { lookUp, stack: own } }: PlanContext,
): ReferenceTarget | null {
  if ("stack" in target && kind !== null) {
    const { named, stack } = target;
    const found = index.all.filter(
      (one) => one.kind.kind === kind && one.marker?.stack === stack && one.marker.name === named,
    );
    if (found.length === 1 && found[0] !== undefined) return { id: found[0].id };
    const what = `${addressOf(kind, named)} of the stack ${stack}`;
    const isUnread = unreadable.some((one) => one.kind === kind);
    const missing = isUnread ? "can't be looked for: the list of its kind can't be read" : "is not live";
    const why = found.length === 0 ? missing : `is live ${found.length} times: ${found.map(({ id }) => id).join(", ")}`;
    const remedy = stack === own ? "leave `stack` out" : `apply the stack ${stack} first, or correct the reference`;
    // Without an id no flag lifts it.
    findings.refuse("reference-not-live", from.address, `it refers to ${what}, which ${why}`, remedy, {
      isFinal: true,
    });
    return { id: `${stack}/${named}` };
  }
  if (!("name" in target) || kind === null) return null;
  const address = addressOf(kind, target.name);
  const found = described.get(address);
  if (found !== undefined) {
    const { current } = found.match;
    return current === null || found.replacedFor.length > 0 ? null : targetOf(part, current);
  }
  const [live] = index.owned.get(address) ?? [];
  if (live !== undefined && lookUp) return targetOf(part, live);
  const { file, line } = from.manifest.source;
  const nobody = lookUp ? ", which no manifest describes and the stack doesn't own" : ", which no manifest describes";
  throw new EdgewiseError("manifests", `${file}:${line}: ${from.address} refers to ${address}${nobody}`, {
    remedy: `write a manifest for ${address}, correct the name, or refer to a live resource by {id: …}`,
  });
}

/** Null when the service doesn't show it. */
function targetOf(
  part: Reference["part"],
  { id, kind, wire }: Pick<LiveResource, "id" | "kind" | "wire">,
): ReferenceTarget | null {
  if (part === "id") return { id };
  const addr = addrOf(kind, wire);
  return addr === null ? null : { addr };
}
