import type { Json } from "../core/json.js";
import { claimText } from "../kinds/kind.js";
import { kindOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { expectationsIn } from "./expectation.js";
import type { LiveIndex } from "./live-index.js";
import type { Ordered } from "./order.js";
import type { HandOver, Operation, WaitReason } from "./plan-format.js";
import { type PlannedOperation, idOf } from "./resource-change.js";

/** Gives ordered operations their ids, what they wait for, and the explanation for people. */
export function numberOperations(ordered: Ordered, live: LiveIndex): readonly Operation[] {
  const expectationOf = expectationsIn(live);
  return ordered.operations.map((operation, index) => {
    const { kind, method, path, pathBind, address, resourceId, body, bind, restore } = operation;
    const waits = [...ordered.graph.before(index)]
      .toSorted(([a], [b]) => a - b)
      .map(([earlier, reason]): Wait => ({ id: idOf(earlier), reason, other: ordered.operations[earlier] }));
    const handOver = handOverOf(index, ordered);
    const expects = expectationOf(operation);
    // In the order in which saved plans and `-o json` print the members.
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
      ...(restore === undefined ? {} : { temporary: temporaryOf(index, restore, ordered) }),
      ...(handOver === null ? {} : { handsOver: handOver }),
    };
  });
}

/** Those that take what an operation frees. */
function takersFrom(index: number, { graph }: Ordered): readonly number[] {
  return graph.after(index).filter((next) => graph.before(next).get(index) === "free");
}

function temporaryOf(index: number, restore: Json, ordered: Ordered): HandOver {
  const takers = takersFrom(index, ordered);
  return { restore, takers: takers.map(idOf), claims: claimsTaken([index], takers, ordered) };
}

/** By claim that some operations free, the id of the one that takes it. */
function claimsTaken(
  releases: readonly number[],
  takers: readonly number[],
  { operations }: Ordered,
): NonNullable<HandOver["claims"]> {
  const freed = new Set(releases.flatMap((release) => operations[release]?.frees ?? []));
  const taken = takers.flatMap((taker) =>
    (operations[taker]?.takes ?? []).map((claim) => [claim, idOf(taker)] as const),
  );
  return Object.fromEntries(taken.filter(([claim]) => freed.has(claim)));
}

/** What becomes of what an operation lets go for good when others fail to take it; null when nobody is to. */
function handOverOf(index: number, ordered: Ordered): HandOver | null {
  const { operations, graph } = ordered;
  const operation = operations[index];
  const takeBack = operation?.kind === "delete" ? () => null : operation?.takeBack;
  if (takeBack === undefined) return null;
  // Once it is done, nothing else gives back what was split off from it and released before. For what it waits for
  // itself it has no answer to give: it would not have been done.
  const before = [...graph.before(index).keys()].filter(
    (earlier) => operations[earlier]?.restore !== undefined && operations[earlier].address === operation?.address,
  );
  const releases = [...before, index];
  const possible = [...new Set(releases.flatMap((release) => takersFrom(release, ordered)))]
    .filter((taker) => before.length === 0 || !graph.reaches(taker, index, operations.length))
    .toSorted((a, b) => a - b);
  const claims = claimsTaken(releases, possible, ordered);
  const takers = possible.map(idOf).filter((taker) => Object.values(claims).includes(taker));
  return takers.length === 0 ? null : { restore: takeBack(new Set(Object.keys(claims))), takers, claims };
}

/** That an operation waits for another one. */
interface Wait {
  readonly id: string;
  readonly reason: WaitReason;
  readonly other: PlannedOperation | undefined;
}

/** How many waits are explained before the rest is counted. */
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
      const claims = other.frees.filter((claim) => own.takes.includes(claim) || own.contested.includes(claim));
      return `${other.address} releases ${claims.map(claimText).join(", ")}`;
    }
    case "late":
      return "released as late as possible, to keep the gap in service short";
    case "last":
      return "deletes come last";
  }
}
