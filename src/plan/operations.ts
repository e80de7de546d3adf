import type { Json } from "../core/json.js";
import { claimText } from "../kinds/kind.js";
import { kindOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { expectationsIn } from "./expectation.js";
import type { LiveIndex } from "./live-index.js";
import type { Ordered } from "./order.js";
import type { HandOver, Operation, WaitReason } from "./plan-format.js";
import { type PlannedOperation, idOf } from "./resource-change.js";

export function numberOperations(ordered: Ordered, live: LiveIndex): readonly Operation[] {
  const expectationOf = expectationsIn(live);
  return ordered.operations.map((operation, index) => {
    const { kind, method, path, pathBind, address, resourceId, body, bind, restore } = operation;
    const waits = [...ordered.graph.before(index)]
      .toSorted(([a], [b]) => a - b)
      .map(([earlier, reason]): Wait => ({ id: idOf(earlier), reason, other: ordered.operations[earlier] }));
    const handsOver = handOverOf(index, ordered);
    const expects = expectationOf(operation);
    // In the order of saved plans.
    return {
      id: idOf(index),
      kind,
      method,
      path,
      ...(pathBind === undefined ? {} : { pathBind }),
      address,
      resourceId,
      body,
      bind,
      after: waits.map(({ id }) => id),
      waits: Object.fromEntries(waits.map(({ id, reason }) => [id, reason])),
      why: whyOf(operation, waits),
      ...(expects === null ? {} : { expects }),
      ...(restore === undefined ? {} : { temporary: handOver(restore, [index], takersFrom(index, ordered), ordered) }),
      ...(handsOver === null ? {} : { handsOver }),
    };
  });
}

function takersFrom(index: number, { graph }: Ordered): readonly number[] {
  return graph.after(index).filter((next) => graph.before(next).get(index) === "free");
}

function handOver(
  restore: Json,
  releases: readonly number[],
  takers: readonly number[],
  { operations }: Ordered,
): HandOver {
  const freed = new Set(releases.flatMap((release) => operations[release]?.frees ?? []));
  const claims = takers.flatMap((taker) =>
    (operations[taker]?.takes ?? []).flatMap((claim) => (freed.has(claim) ? [[claim, idOf(taker)] as const] : [])),
  );
  return { restore, takers: takers.map(idOf), claims: Object.fromEntries(claims) };
}

/** What is given back when others fail to take it. */
function handOverOf(index: number, ordered: Ordered): HandOver | null {
  const { operations, graph } = ordered;
  const operation = operations[index];
  const takeBack = operation?.kind === "delete" ? () => null : operation?.takeBack;
  if (takeBack === undefined) return null;
  // It gives back what was split off before, too; what it waits for itself is no taker of it.
  const before = [...graph.before(index).keys()].filter(
    (earlier) => operations[earlier]?.restore !== undefined && operations[earlier].address === operation?.address,
  );
  const releases = [...before, index];
  const possible = [...new Set(releases.flatMap((release) => takersFrom(release, ordered)))]
    .filter((taker) => before.length === 0 || !graph.reaches(taker, index, operations.length))
    .toSorted((a, b) => a - b);
  const { claims = {} } = handOver(null, releases, possible, ordered);
  const takers = possible.filter((taker) => Object.values(claims).includes(idOf(taker)));
  if (takers.length === 0) return null;
  return { restore: takeBack(new Set(Object.keys(claims))), takers: takers.map(idOf), claims };
}

interface Wait {
  readonly id: string;
  readonly reason: WaitReason;
  readonly other: PlannedOperation | undefined;
}

const mostWaits = 3;

function whyOf(operation: PlannedOperation, waits: readonly Wait[]): string | null {
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

function because({ other, reason }: Wait, own: PlannedOperation): string {
  if (other === undefined) return reason;
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
