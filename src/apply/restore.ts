import { type Json, isObject } from "../core/json.js";
import { claimText } from "../kinds/kind.js";
import { kindOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Operation, Warning } from "../plan/plan-format.js";
import { type OperationOutcome, mayBeDone, nameOfOperation, statusInWords } from "./result.js";
import type { RunContext } from "./run-context.js";
import { restoreRelease } from "./run-operation.js";

/** Releases what others take, unless their outcomes undo it. */
type Release = Readonly<{
  index: number;
  operation: Operation;
  undoing: NonNullable<Operation["temporary"]>;
  takers: readonly number[];
  later: readonly number[];
  open: Set<number>;
}>;

export class Restores {
  readonly #releases: readonly Release[];

  constructor(
    private readonly context: RunContext,
    private readonly outcomes: readonly (OperationOutcome | undefined)[],
  ) {
    const { indexOf, operations } = context.graph;
    const indexes = [...operations.keys()];
    this.#releases = [...operations.entries()].flatMap(([index, operation]) => {
      const undoing = operation.temporary ?? operation.handsOver;
      if (undoing === undefined) return [];
      const takers = undoing.takers.flatMap((id) => indexOf.get(id) ?? []);
      const isLater = (other: number): boolean => other > index && operations[other]?.address === operation.address;
      const later = indexes.filter(isLater);
      return [{ index, operation, undoing, takers, later, open: new Set([index, ...takers, ...later]) }];
    });
  }

  /** Why a temporary release is no longer needed. */
  needless(index: number): string | null {
    const release = this.#releases.find((each) => each.index === index);
    if (release?.operation.temporary === undefined || release.takers.length === 0) return null;
    const isLost = (taker: number): boolean => this.outcomes[taker] !== undefined && !this.#isDone(taker);
    return release.takers.every(isLost) ? "skipped: no operation remains that needs what it would release" : null;
  }

  begin(index: number): readonly Promise<void>[] {
    const decided = this.#releases.filter(({ open }) => open.delete(index) && open.size === 0);
    return decided.map(async (release) => {
      const warning = await this.#undo(release);
      if (warning !== null) this.context.warnings.push(warning);
    });
  }

  #isDone(index: number | undefined): boolean {
    return index !== undefined && this.outcomes[index]?.status === "done";
  }

  async #undo({ index, later, operation, takers, undoing }: Release): Promise<Warning | null> {
    const { emit, graph } = this.context;
    const { address, id: op } = operation;
    const { restore } = undoing;
    const done = takers.filter((taker) => this.#isDone(taker));
    if (!mayBeDone(this.outcomes[index]?.status) || done.length === takers.length) return null;
    const { claim, held, holder } = kinds[kindOf(address)].claimWords;
    const claims = Object.entries(undoing.claims ?? {}).flatMap(([text, id]) =>
      this.#isDone(graph.indexOf.get(id)) ? [] : [text],
    );
    const what = claims.length === 0 ? `its ${claim}s` : claims.map(claimText).join(", ");
    const why = this.#whyInVain(takers);
    if (restore === null) {
      const message = `${what}: not ${held} by any ${holder}: ${address} is deleted, and ${why}. Write the ${claim} into the manifest of another ${holder}, or bring back that of ${address}`;
      return { code: "hostport-unserved", message, address };
    }
    if (later.some((one) => mayBeDone(this.outcomes[one]?.status) && overwrites(graph.operations[one], restore)))
      return null;
    const taken = done.map((taker) => graph.operations[taker]?.body ?? null);
    const error = await restoreRelease(this.context, operation, index, withoutTaken(restore, taken));
    void emit({ event: "restored", op, address, restored: error === null, error });
    const [code, message] =
      error === null
        ? (["released-hostport-restored", `${address} took ${what} back after releasing it: ${why}`] as const)
        : ([
            "restore-failed",
            `${address} released ${what} and could not take it back: ${error} (${why}). Nothing serves it until the next apply`,
          ] as const);
    return { code, message, address };
  }

  #whyInVain(takers: readonly number[]): string {
    const words = takers.flatMap((index) => {
      const [taker, outcome] = [this.context.graph.operations[index], this.outcomes[index]];
      if (taker === undefined || outcome === undefined || outcome.status === "done") return [];
      return [`${nameOfOperation(taker)} ${statusInWords[outcome.status]}`];
    });
    return words.join(", ");
  }
}

function overwrites(operation: Operation | undefined, restore: Json): boolean {
  if (operation?.kind === "delete") return true;
  const { body, kind } = operation ?? {};
  if (kind !== "patch" || !isObject(body) || !isObject(restore)) return false;
  return Object.keys(restore).some((member) => Object.hasOwn(body, member));
}

function withoutTaken(restore: Json, taken: readonly Json[]): Json {
  if (!isObject(restore)) return restore;
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

export const givenBack: ReadonlySet<string> = new Set(["released-hostport-restored", "restore-failed"]);
