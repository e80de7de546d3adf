import { type Json, isObject } from "../core/json.js";
import { claimText } from "../kinds/kind.js";
import { kindOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Operation, Warning } from "../plan/plan-format.js";
import { type OperationOutcome, mayBeDone, nameOfOperation, statusInWords } from "./result.js";
import type { RunContext } from "./run-context.js";
import { restoreRelease } from "./run-operation.js";

/** Undoes releases whose takers have failed. */
export function startRestores(
  context: RunContext,
  outcomes: readonly OperationOutcome[],
  ended: readonly Promise<void>[],
): readonly Promise<void>[] {
  const { indexOf, operations } = context.graph;
  const indexes = [...operations.keys()];
  return operations.flatMap((operation, index) => {
    const undoing = operation.temporary ?? operation.handsOver;
    if (undoing === undefined) return [];
    const takers = undoing.takers.flatMap((id) => indexOf.get(id) ?? []);
    const later = indexes.filter((other) => other > index && operations[other]?.address === operation.address);
    const restore = async (): Promise<void> => {
      await Promise.all([index, ...takers, ...later].flatMap((one) => ended[one] ?? []));
      const warning = await undo(context, outcomes, { index, later, operation, takers, undoing });
      if (warning !== null) context.warnings.push(warning);
    };
    return [restore()];
  });
}

type Release = Readonly<{
  index: number;
  operation: Operation;
  undoing: NonNullable<Operation["temporary"]>;
  takers: readonly number[];
  later: readonly number[];
}>;

async function undo(
  context: RunContext,
  outcomes: readonly OperationOutcome[],
  { index, later, operation, takers, undoing }: Release,
): Promise<Warning | null> {
  const { emit, graph } = context;
  const { address, id: op } = operation;
  const { restore } = undoing;
  const isDone = (one: number | undefined): boolean => one !== undefined && outcomes[one]?.status === "done";
  const done = takers.filter(isDone);
  if (!mayBeDone(outcomes[index]?.status) || done.length === takers.length) return null;
  const { claim, held, holder } = kinds[kindOf(address)].claimWords;
  const claims = Object.entries(undoing.claims ?? {}).flatMap(([text, id]) =>
    isDone(graph.indexOf.get(id)) ? [] : [text],
  );
  const what = claims.length === 0 ? `its ${claim}s` : claims.map(claimText).join(", ");
  const why = takers
    .flatMap((taker) => {
      const [lost, outcome] = [graph.operations[taker], outcomes[taker]];
      const isLost = lost !== undefined && outcome !== undefined && outcome.status !== "done";
      return isLost ? [`${nameOfOperation(lost)} ${statusInWords[outcome.status]}`] : [];
    })
    .join(", ");
  if (restore === null) {
    const message = `${what}: not ${held} by any ${holder}: ${address} is deleted, and ${why}. Write the ${claim} into the manifest of another ${holder}, or bring back that of ${address}`;
    return { code: "hostport-unserved", message, address };
  }
  if (later.some((one) => mayBeDone(outcomes[one]?.status) && overwrites(graph.operations[one], restore))) return null;
  const taken = done.map((taker) => graph.operations[taker]?.body ?? null);
  const error = await restoreRelease(context, operation, index, withoutTaken(restore, taken));
  void emit({ event: "restored", op, address, restored: error === null, error });
  return error === null
    ? {
        code: "released-hostport-restored",
        message: `${address} took ${what} back after releasing it: ${why}`,
        address,
      }
    : {
        code: "restore-failed",
        message: `${address} released ${what} and could not take it back: ${error} (${why}). Nothing serves it until the next apply`,
        address,
      };
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
