import type { Relaxations } from "./plan.js";

/** What loosened the guards of a plan, as the flags are typed. */
export function relaxationFlags({ allow, allowEmpty, destroy, maxDeletes, takeOver }: Relaxations): readonly string[] {
  return [
    ...allow.map((address) => `--allow ${address}`),
    ...(maxDeletes === null ? [] : [`--max-deletes ${maxDeletes}`]),
    ...(allowEmpty ? ["--allow-empty"] : []),
    ...(takeOver ? ["--take-over"] : []),
    ...(destroy ? ["--destroy"] : []),
  ];
}
