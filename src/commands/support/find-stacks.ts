import { refuseEmptyVariables } from "../../config/setting.js";
import type { BrokenStack, Stack } from "../../stacks/list-stacks.js";
import { count } from "../../text/layout.js";
import type { Io } from "./io.js";
import { gitHost } from "./provenance.js";

/** A stack; `changed` with `--changed-since`. */
export interface SelectedStack extends Stack {
  readonly changed?: readonly string[];
}

export interface SelectedStacks {
  readonly stacks: readonly SelectedStack[];
  readonly broken: readonly BrokenStack[];
  /** How many there are, whether something changed or not. */
  readonly total: number;
}

/**
 * The stacks below the working directory: all, or those that a change touches.
 * @param ref of `--changed-since`; absent = all
 */
export async function findStacks(ref: string | undefined, io: Pick<Io, "cwd" | "env">): Promise<SelectedStacks> {
  refuseEmptyVariables(io.env);
  const { listStacks } = await import("../../stacks/list-stacks.js");
  const { stacks, broken } = await listStacks(io.cwd);
  const total = stacks.length;
  if (ref === undefined) return { stacks, broken, total };
  const { touchedStacks } = await import("../../stacks/touched-stacks.js");
  const touched = await touchedStacks(stacks, { cwd: io.cwd, ref, host: gitHost(io) });
  return { stacks: touched.stacks, broken, total };
}

/** The sentence for a change that touches no stack. */
export function nothingChanged({ total }: Pick<SelectedStacks, "total">, ref: string): string {
  return `Nothing that changed since ${ref} touches ${total === 1 ? "the stack" : `one of the ${count(total, "stack")}`}.`;
}
