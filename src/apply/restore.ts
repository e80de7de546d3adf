import { type Json, isObject } from "../core/json.js";
import { claimText, claimWordsOf } from "../kinds/kind.js";
import { kindOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Operation, Warning } from "../plan/plan-format.js";
import type { RunContext } from "./apply-deps.js";
import { type OperationOutcome, nameOfOperation, statusInWords } from "./operation-outcome.js";
import type { OperationRunner } from "./operation-runner.js";
import { mayBeDone } from "./result.js";
import type { WaitGraph } from "./wait-graph.js";

/** By index of the operation; undefined = it has not ended yet. */
type Outcomes = readonly (OperationOutcome | undefined)[];

/** A release to undo, and the body that undoes it. */
export interface DueRestore {
  /** Of the operation that made the release. */
  readonly index: number;
  /** Null when nothing undoes it: the resource was deleted. */
  readonly body: Json;
  /** What nobody has taken. */
  readonly claims: readonly string[];
}

/** A release of what others take, and the operations whose outcomes decide whether it is undone. */
interface Release {
  readonly index: number;
  readonly takers: readonly number[];
  /** Later operations on the same resource. */
  readonly later: readonly number[];
  /** How many of the deciding operations have not ended yet. */
  open: number;
}

/** How the release that an operation makes is undone; undefined when it makes none. */
function undoingOf(operation: Operation | undefined): Operation["temporary"] {
  return operation?.temporary ?? operation?.handsOver;
}

/** Finds out which releases must be undone, as soon as that can be known. */
export class RestoreTracker {
  readonly #graph: WaitGraph;
  readonly #releases = new Map<number, Release>();
  /** The releases that an operation helps to decide, by its index. */
  readonly #decidedBy = new Map<number, Release[]>();

  constructor(graph: WaitGraph) {
    this.#graph = graph;
    const byAddress = new Map<string, number[]>();
    for (const operation of graph.operations)
      if (undoingOf(operation) !== undefined) byAddress.set(operation.address, []);
    for (const [index, { address }] of graph.operations.entries()) byAddress.get(address)?.push(index);
    for (const [index, operation] of graph.operations.entries()) {
      const undoing = undoingOf(operation);
      if (undoing === undefined) continue;
      const { address } = operation;
      const takers = undoing.takers.flatMap((id) => graph.indexOf.get(id) ?? []);
      const later = (byAddress.get(address) ?? []).filter((other) => other > index);
      const deciding = new Set([index, ...takers, ...later]);
      const release = { index, takers, later, open: deciding.size };
      this.#releases.set(index, release);
      for (const other of deciding) this.#decidedBy.set(other, [...(this.#decidedBy.get(other) ?? []), release]);
    }
  }

  /** Why a temporary release need not be made: none of the operations that need it can be done any more. Null = make it. */
  needless(index: number, outcomes: Outcomes): string | null {
    const release = this.#releases.get(index);
    if (release === undefined || release.takers.length === 0) return null;
    if (this.#graph.operations[index]?.temporary === undefined) return null;
    const noneLeft = release.takers.every(
      (taker) => outcomes[taker] !== undefined && outcomes[taker].status !== "done",
    );
    return noneLeft ? "skipped: no operation remains that needs what it would release" : null;
  }

  /** Call it once for each operation that ends: returns the releases to undo now. */
  due(index: number, outcomes: Outcomes): readonly DueRestore[] {
    return (this.#decidedBy.get(index) ?? []).flatMap((release) => {
      release.open -= 1;
      return release.open === 0 ? (this.#dueRestore(release, outcomes) ?? []) : [];
    });
  }

  #dueRestore({ index, later, takers }: Release, outcomes: Outcomes): DueRestore | null {
    const { indexOf, operations } = this.#graph;
    const undoing = undoingOf(operations[index]);
    if (undoing === undefined || !mayBeDone(outcomes[index]?.status)) return null;
    const { restore } = undoing;
    const isDone = (taker: number | undefined): boolean => taker !== undefined && outcomes[taker]?.status === "done";
    const done = takers.filter(isDone);
    if (done.length === takers.length) return null;
    const claims = Object.entries(undoing.claims ?? {}).flatMap(([claim, id]) =>
      isDone(indexOf.get(id)) ? [] : [claim],
    );
    if (restore === null) return { index, body: null, claims };
    const overwritten = later.some((one) => mayBeDone(outcomes[one]?.status) && overwrites(operations[one], restore));
    if (overwritten) return null;
    const taken = done.map((taker) => operations[taker]?.body ?? null);
    return { index, body: withoutTaken(restore, taken), claims };
  }
}

function overwrites(operation: Operation | undefined, restore: Json): boolean {
  if (operation?.kind === "delete") return true;
  if (operation?.kind !== "patch" || !isObject(operation.body) || !isObject(restore)) return false;
  return Object.keys(restore).some((member) => Object.hasOwn(operation.body as object, member));
}

/** What is taken back, less what other resources have taken by now: strings in the list of the same name. */
function withoutTaken(restore: Json, taken: readonly Json[]): Json {
  if (taken.length === 0 || !isObject(restore)) return restore;
  const members = Object.entries(restore).map(([member, value]): [string, unknown] => {
    if (!Array.isArray(value)) return [member, value];
    const gone = new Set(taken.flatMap((body) => stringsIn(body, member)));
    return [member, value.filter((item) => typeof item !== "string" || !gone.has(item.toLowerCase()))];
  });
  return Object.fromEntries(members) as Json;
}

function stringsIn(body: Json, member: string): readonly string[] {
  const list = isObject(body) ? body[member] : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((item) => (typeof item === "string" ? [item.toLowerCase()] : []));
}

/** The codes of the warnings that a release was undone, or should have been. */
export const givenBack: ReadonlySet<string> = new Set(["released-hostport-restored", "restore-failed"]);

/** Undoes a release. Returns the warning that reports it, that it failed, or that nothing can undo it. */
export async function restoreRelease(
  { index, body, claims }: DueRestore,
  { emitter, graph, semaphore }: RunContext,
  runner: OperationRunner,
  outcomes: Outcomes,
): Promise<Warning> {
  const release = graph.operations[index];
  if (release === undefined) throw new RangeError(`there is no operation ${index}`);
  const { id: op, address } = release;
  const { claim, held, holder } = claimWordsOf(kinds[kindOf(address)]);
  const what = claims.length === 0 ? `its ${claim}s` : claims.map(claimText).join(", ");
  const pronoun = claims.length === 1 ? "it" : "them";
  const why = whyInVain(release, graph, outcomes);
  if (body === null) {
    const message = `${what}: not ${held} by any ${holder}, because ${address} is deleted, which is not undone, and ${why}. Until that is done in a later run, another ${holder} can have it: write the ${claim} into its manifest, or bring back the manifest of ${address}`;
    return { code: "hostport-unserved", message, address };
  }
  await semaphore.acquire(index);
  const error = await runner.restore(release, index, body).finally(() => semaphore.release());
  void emitter.emit({ event: "restored", op, address, restored: error === null, error });
  return error === null
    ? {
        code: "released-hostport-restored",
        message: `${address} serves ${what} again after releasing ${pronoun} for another resource: ${why}`,
        address,
      }
    : {
        code: "restore-failed",
        message: `${address} released ${what} for another resource and could not take ${pronoun} back: ${error} (${why}). Nothing serves ${pronoun} until the next apply`,
        address,
      };
}

/** What became of the operations that a release was made for. */
function whyInVain(release: Operation, graph: WaitGraph, outcomes: Outcomes): string {
  const takers = (undoingOf(release)?.takers ?? []).flatMap((id) => {
    const index = graph.indexOf.get(id);
    const taker = index === undefined ? undefined : graph.operations[index];
    const status = index === undefined ? undefined : outcomes[index]?.status;
    return taker === undefined || status === undefined || status === "done"
      ? []
      : [`${nameOfOperation(taker)} ${statusInWords[status]}`];
  });
  return takers.join(", ");
}
