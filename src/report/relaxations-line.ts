import { type Plan, relaxationFlags } from "../plan/plan-format.js";

/** What loosened the guards of a plan, in a sentence or two; null when nothing did. */
export function relaxationsLine({ relaxations }: Plan): string | null {
  const flags = relaxationFlags({ ...relaxations, destroy: false });
  const sentences = [
    ...(relaxations.destroy ? ["Made by `edgewise destroy`: everything that the stack owns goes."] : []),
    ...(flags.length === 0 ? [] : [`Guards loosened by flags: ${flags.join(" ")}`]),
  ];
  return sentences.length === 0 ? null : sentences.join(" ");
}
