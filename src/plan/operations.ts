import { type Address, kindOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Ordered } from "./order.js";
import type { Operation, WaitReason } from "./plan-format.js";
import type { PlannedOperation } from "./resource-change.js";

/** How many waits are told in words before the rest is counted. */
const mostWaits = 3;

/** Gives ordered drafts their ids, their waits and the words for them. */
export function numberOperations({ drafts, graph }: Ordered): readonly Operation[] {
  const id = (index: number): string => `op-${index + 1}`;
  return drafts.map((draft, index) => {
    const before = [...graph.before(index)].toSorted(([a], [b]) => a - b);
    const takers =
      draft.restore === undefined ? [] : graph.after(index).filter((next) => graph.before(next).get(index) === "free");
    const { kind, method, path, address, resourceId, body, bind } = draft;
    return {
      id: id(index),
      kind,
      method,
      path,
      ...(draft.pathBind === undefined ? {} : { pathBind: draft.pathBind }),
      address,
      resourceId,
      body,
      bind,
      after: before.map(([earlier]) => id(earlier)),
      waits: Object.fromEntries(before.map(([earlier, reason]): [string, WaitReason] => [id(earlier), reason])),
      why: whyOf(draft, before, drafts, id),
      ...(draft.restore === undefined ? {} : { temporary: { restore: draft.restore, takers: takers.map(id) } }),
    };
  });
}

function whyOf(
  draft: PlannedOperation,
  before: readonly (readonly [number, WaitReason])[],
  drafts: readonly PlannedOperation[],
  id: (index: number) => string,
): string | null {
  const words = [...draft.notes];
  const telling = before.filter(([, reason]) => reason !== "last");
  for (const [earlier, reason] of telling.slice(0, mostWaits)) {
    const other = drafts[earlier];
    if (other !== undefined) words.push(`waits for ${id(earlier)}: ${because(reason, other, draft)}`);
  }
  if (telling.length > mostWaits) words.push(`waits for ${telling.length - mostWaits} more`);
  if (telling.length < before.length)
    words.push(
      draft.layer === 2 ? "comes last, as it may lock this tool out" : "comes last: deletes wait for everything else",
    );
  return words.length === 0 ? null : words.join("; ");
}

function because(reason: WaitReason, other: PlannedOperation, own: PlannedOperation): string {
  switch (reason) {
    case "same":
      return own.address === other.address && own.resourceId === other.resourceId
        ? "the step before it on the same resource"
        : "the new one comes first";
    case "use":
      return `it makes ${show(other.address)}, which this uses`;
    case "unuse":
      return `${other.address} stops using this`;
    case "free":
      return `${other.address} lets ${shared(other, own)} go`;
    case "late":
      return `what this lets go is to be unserved as briefly as can be`;
    case "last":
      return "deletes come last";
  }
}

function show(address: Address): string {
  return `the ${kinds[kindOf(address)].title} ${address}`;
}

function shared(other: PlannedOperation, own: PlannedOperation): string {
  const wanted = new Set(own.takes);
  const claims = other.frees.filter((claim) => wanted.has(claim)).map((claim) => claim.slice(claim.indexOf(":") + 1));
  return claims.length === 0 ? "what this takes" : claims.join(", ");
}
