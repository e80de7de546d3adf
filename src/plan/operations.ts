import { isObject, type Json, type JsonObject, type ValueObject } from "../core/json.js";
import { claimText } from "../kinds/kind.js";
import { type Address, forListedKinds, kindOf, type ListedKind, listedKinds } from "../kinds/names.js";
import { readWire } from "../kinds/normal-form.js";
import { SecretPolicy, hasUnnamedSources } from "../kinds/policy.js";
import { kinds } from "../kinds/registry.js";
import {
  type Expectation,
  fingerprint,
  type HandOver,
  moduleAt,
  type Operation,
  type Precondition,
  type WaitReason,
} from "./plan-format.js";
import { withoutIgnored } from "./diff.js";
import {
  addressOfLive,
  indexLive,
  instanceKey,
  type LiveIndex,
  type LiveResource,
  mayReferTo,
  referencesOf,
  referrersAmong,
} from "./live-index.js";
import type { ResourceChange } from "./build-change.js";
import { idOf, type Ordered, type PlannedOperation } from "./order.js";

export function numberOperations(ordered: Ordered, live: LiveIndex): readonly Operation[] {
  const expectationOf = expectationsIn(live);
  return ordered.operations.map((operation, index) => {
    const { kind, method, path, pathBind, address, resourceId, body, bind, restore } = operation;
    const waits = [...ordered.graph.before(index)]
      .toSorted(([a], [b]) => a - b)
      .flatMap(([earlier, reason]): readonly Wait[] => {
        const other = ordered.operations[earlier];
        return other === undefined ? [] : [{ id: idOf(earlier), reason, other }];
      });
    const handsOver = handOverOf(index, ordered);
    const expects = expectationOf(operation);
    return {
      id: idOf(index),
      kind,
      method,
      path,
      ...(pathBind !== undefined && { pathBind }),
      address,
      resourceId,
      body,
      bind,
      after: waits.map(({ id }) => id),
      waits: Object.fromEntries(waits.map(({ id, reason }) => [id, reason])),
      why: whyOf(operation, waits),
      ...(expects !== null && { expects }),
      ...(restore !== undefined && {
        temporary: handOver([index], takersFrom(index, ordered), ordered, () => restore),
      }),
      ...(handsOver !== null && { handsOver }),
    };
  });
}

function takersFrom(index: number, { graph }: Ordered) {
  return graph.after(index).filter((next) => graph.before(next).get(index) === "free");
}

function handOver(
  releases: readonly number[],
  takers: readonly number[],
  { operations }: Ordered,
  takeBack: (claims: ReadonlySet<string>) => Json,
): HandOver {
  const freed = new Set(releases.flatMap((release) => operations[release]?.frees ?? []));
  const claims = new Map(
    takers.flatMap((taker) =>
      (operations[taker]?.takes ?? []).flatMap((claim) => (freed.has(claim) ? [[claim, idOf(taker)] as const] : [])),
    ),
  );
  const taking = [...new Set(claims.values())];
  return { restore: takeBack(new Set(claims.keys())), takers: taking, claims: Object.fromEntries(claims) };
}

function handOverOf(index: number, ordered: Ordered): HandOver | null {
  const { operations, graph } = ordered;
  const operation = operations[index];
  const takeBack = operation?.kind === "delete" ? () => null : operation?.takeBack;
  if (takeBack === undefined) return null;
  // What it waits for itself is no taker of it.
  const before = [...graph.before(index).keys()].filter(
    (earlier) => operations[earlier]?.restore !== undefined && operations[earlier].address === operation?.address,
  );
  const releases = [...before, index];
  const possible = [...new Set(releases.flatMap((release) => takersFrom(release, ordered)))]
    .filter((taker) => before.length === 0 || !graph.reaches(taker, index, operations.length))
    .toSorted((a, b) => a - b);
  const found = handOver(releases, possible, ordered, takeBack);
  return found.takers.length === 0 ? null : found;
}

type Wait = Readonly<{
  id: string;
  reason: WaitReason;
  other: PlannedOperation;
}>;

const mostWaits = 3;

function whyOf(operation: PlannedOperation, waits: readonly Wait[]) {
  const explained = waits.filter(({ reason }) => reason !== "last");
  const more = explained.length - mostWaits;
  const last =
    operation.layer === 2
      ? "comes last, as it may lock edgewise out"
      : operation.kind === "delete"
        ? "comes last: deletes wait for everything else"
        : "comes last, with the deletes";
  const sentences = [
    ...operation.notes,
    ...explained.slice(0, mostWaits).map((wait) => `waits for ${wait.id}: ${because(wait, operation)}`),
    ...(more > 0 ? [`waits for ${more} more`] : []),
    ...(explained.length < waits.length ? [last] : []),
  ];
  return sentences.length === 0 ? null : sentences.join("; ");
}

function because({ other, reason }: Wait, own: PlannedOperation) {
  switch (reason) {
    case "same":
      return own.address === other.address && own.resourceId === other.resourceId
        ? "the step before it on the same resource"
        : "the new one is created first";
    case "use":
      return `it creates the ${kinds[kindOf(other.address)].title} ${other.address}, which this uses`;
    case "unuse":
      return `${other.address} stops using this`;
    case "free": {
      const claims = other.frees.filter((claim) => own.takes.includes(claim));
      return `${other.address} releases ${claims.map(claimText).join(", ")}`;
    }
    case "late":
      return "released as late as possible, to keep the gap in service short";
    case "last":
      return "deletes come last";
  }
}

export function referringKinds({ address, kind }: Pick<Operation, "address" | "kind">): readonly ListedKind[] {
  return kind === "delete" ? listedKinds.filter((one) => mayReferTo(one, kindOf(address))) : [];
}

function expectationsIn(index: LiveIndex): (operation: PlannedOperation) => Expectation | null {
  let referrers: ReturnType<typeof referrersAmong<LiveResource>> | null = null;
  return (operation) => {
    const { address, destroys, kind, path, resourceId } = operation;
    if (destroys === null && kind !== "module-delete") return null;
    const key = destroys ?? instanceKey(kindOf(address), resourceId ?? "");
    const resource = index.byInstance.get(key);
    if (resource === undefined) return null;
    if (destroys === null) return { fingerprint: moduleFingerprint(resource, path) };
    if (referringKinds(operation).length === 0) return { fingerprint: resourceFingerprint(resource) };
    referrers ??= referrersAmong(index.all, index);
    return { fingerprint: resourceFingerprint(resource), referrers: idsOf(referrers.get(key)) };
  };
}

export function changeSince(
  { address, expects, kind, path }: Operation,
  wire: ValueObject,
  lists: { readonly [K in ListedKind]?: readonly JsonObject[] },
): string | null {
  if (expects === undefined) return null;
  const name = kindOf(address);
  if (kind === "module-delete") {
    const module = moduleAt(path);
    const { spec } = readWire(kinds[name], { [module]: wire });
    return moduleFingerprint({ spec }, path) === expects.fingerprint ? null : `its ${module} differs from the plan`;
  }
  const found = forListedKinds((one) => (one === name ? [wire as JsonObject] : (lists[one] ?? [])));
  const index = indexLive({ lists: found, modules: [] }, { stack: "", previousStacks: [] });
  const resource = index.all.find((one) => one.kind.kind === name);
  if (resource === undefined || resourceFingerprint(resource) !== expects.fingerprint)
    return "it differs from what the plan was made from";
  const known = new Set(expects.referrers);
  const added = idsOf(referrersAmong(index.all, index).get(resource.key)).filter((id) => !known.has(id));
  return added.length === 0 ? null : `${added.join(", ")} refers to it now`;
}

export function preconditionsOf(changed: readonly ResourceChange[], index: LiveIndex): readonly Precondition[] {
  const found = new Map<string, Precondition>();
  const rely = (resource: LiveResource, ignore: readonly string[], address: Address) => {
    const precondition = { address, id: resource.id, fingerprint: resourceFingerprint(resource, ignore) };
    found.set(resource.key, { ...precondition, ...(ignore.length === 0 ? {} : { ignore }) });
  };
  const used = changed.flatMap(({ kind, result }) => (result === null ? [] : referencesOf(kind, result.spec, index)));
  for (const key of used) {
    const resource = index.byInstance.get(key);
    if (resource !== undefined) rely(resource, [], addressOfLive(resource));
  }
  for (const change of changed) {
    const ignore = [...change.ignore, ...policiesWithSources(change)];
    for (const resource of change.touched) rely(resource, ignore, change.address);
  }
  return [...found.values()];
}

/** Only the manifest knows which of the live texts are secrets. */
function policiesWithSources({ result }: ResourceChange) {
  return Object.entries(result?.spec ?? {}).flatMap(([field, module]) =>
    Object.entries(isObject(module) ? module : {}).flatMap(([member, value]) =>
      value instanceof SecretPolicy && hasUnnamedSources(value.document) ? [`spec.${field}.${member}`] : [],
    ),
  );
}

function resourceFingerprint({ id, kind, marker, spec }: LiveResource, ignore: readonly string[] = []) {
  return fingerprint({ kind: kind.kind, id, marker, spec: withoutIgnored(spec, ignore) });
}

function moduleFingerprint({ spec }: Pick<LiveResource, "spec">, path: string) {
  return fingerprint(spec[moduleAt(path)]);
}

function idsOf(referrers: readonly { readonly resource: LiveResource }[] = []) {
  return [...new Set(referrers.map(({ resource }) => resource.id))].toSorted();
}
