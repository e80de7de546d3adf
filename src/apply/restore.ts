import { type Json, isObject } from "../json.js";
import type { Operation } from "../plan/plan-format.js";
import type { OperationOutcome } from "./operation-outcome.js";
import type { WaitGraph } from "./wait-graph.js";

type Outcomes = readonly (OperationOutcome | undefined)[];

/** A release that was made to break a cycle, and everything whose end decides whether it is given back. */
interface Release {
  readonly index: number;
  readonly takers: readonly number[];
  /** Later operations on the same resource. */
  readonly own: readonly number[];
  open: number;
}

/** Finds out which temporary releases are to be given back, as soon as it can be known. */
export class RestoreTracker {
  readonly #graph: WaitGraph;
  readonly #releases = new Map<number, Release>();
  readonly #watched = new Map<number, Release[]>();

  constructor(graph: WaitGraph) {
    this.#graph = graph;
    const byAddress = new Map<string, number[]>();
    for (const { address, temporary } of graph.operations) if (temporary !== undefined) byAddress.set(address, []);
    for (const [index, { address }] of graph.operations.entries()) byAddress.get(address)?.push(index);
    for (const [index, { address, temporary }] of graph.operations.entries()) {
      if (temporary === undefined) continue;
      const takers = temporary.takers.flatMap((id) => graph.indexOf.get(id) ?? []);
      const own = (byAddress.get(address) ?? []).filter((other) => other > index);
      const decisive = new Set([index, ...takers, ...own]);
      const release = { index, takers, own, open: decisive.size };
      this.#releases.set(index, release);
      for (const other of decisive) this.#watched.set(other, [...(this.#watched.get(other) ?? []), release]);
    }
  }

  /** Why a release is not worth making: everything that it is made for has come to nothing. Null = it is, or is none. */
  pointless(index: number, ends: Outcomes): string | null {
    const release = this.#releases.get(index);
    if (release === undefined || release.takers.length === 0) return null;
    const lost = release.takers.every((taker) => ends[taker] !== undefined && ends[taker].status !== "done");
    return lost ? "skipped: nothing is left that would take what it lets go for a while" : null;
  }

  /** Told of each end: the releases that are to be given back now, and what to send for each. */
  due(index: number, ends: Outcomes): readonly { readonly index: number; readonly body: Json }[] {
    return (this.#watched.get(index) ?? []).flatMap((release) => {
      release.open -= 1;
      const body = release.open === 0 ? this.#body(release, ends) : null;
      return body === null ? [] : [{ index: release.index, body }];
    });
  }

  #body(release: Release, ends: Outcomes): Json | null {
    const { operations } = this.#graph;
    const restore = operations[release.index]?.temporary?.restore;
    if (restore === undefined || !mayBeDone(ends[release.index])) return null;
    const done = release.takers.filter((taker) => ends[taker]?.status === "done");
    if (done.length === release.takers.length) return null;
    const overwritten = release.own.some((own) => mayBeDone(ends[own]) && overwrites(operations[own], restore));
    return overwritten
      ? null
      : without(
          restore,
          done.map((taker) => operations[taker]?.body ?? null),
        );
  }
}

/** Whether an operation reached the service, as far as is known. */
function mayBeDone(ended: OperationOutcome | undefined): boolean {
  return ended?.status === "done" || ended?.status === "unknown";
}

function overwrites(operation: Operation | undefined, restore: Json): boolean {
  if (operation?.kind === "delete") return true;
  if (operation?.kind !== "patch" || !isObject(operation.body) || !isObject(restore)) return false;
  return Object.keys(restore).some((member) => Object.hasOwn(operation.body as object, member));
}

/** What is given back, less what another has taken by now: in every list, the texts that stand in its own list. */
function without(restore: Json, taken: readonly Json[]): Json {
  if (taken.length === 0 || !isObject(restore)) return restore;
  const members = Object.entries(restore).map(([member, value]): [string, unknown] => {
    if (!Array.isArray(value)) return [member, value];
    const gone = new Set(taken.flatMap((body) => textsIn(body, member)));
    return [member, value.filter((item) => typeof item !== "string" || !gone.has(item.toLowerCase()))];
  });
  return Object.fromEntries(members) as Json;
}

function textsIn(body: Json, member: string): readonly string[] {
  const list = isObject(body) ? body[member] : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((item) => (typeof item === "string" ? [item.toLowerCase()] : []));
}
