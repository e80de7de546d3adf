import { type Repository, gitFailure, runGit } from "../../git/run-git.js";
import type { FleetSource } from "../fleet/fleet.js";
import { FetchProblem } from "./fetch-tip.js";

/** What may be followed next. */
export interface Tips {
  readonly clone: Repository;
  readonly tip: string;
  /** What was followed until now; null = nothing. */
  readonly followed: string | null;
}

/**
 * Refuses a tip that would undo what was followed: one that does not descend from it, unless the operator accepts it.
 * @throws FetchProblem `rewound`, EdgewiseError `git`
 */
export async function checkDescent({ clone, tip, followed }: Tips, { accept, name }: FleetSource): Promise<void> {
  if (followed === null || tip === followed || accept.includes(tip)) return;
  const answer = await runGit(clone, ["merge-base", "--is-ancestor", followed, tip]);
  if (answer.ok) return;
  // Exit code 1 = no; a clone that does not know the commit any more says 128.
  const known = await runGit(clone, ["cat-file", "-e", `${followed}^{commit}`]);
  if (answer.exit !== 1 && known.ok)
    throw gitFailure(`compare ${tip.slice(0, 12)} with ${followed.slice(0, 12)}`, answer);
  const why = `its tip ${tip.slice(0, 12)} does not descend from ${followed.slice(0, 12)}, which is followed`;
  throw new FetchProblem(
    "rewound",
    `${why}: history was rewritten. To follow it, list ${tip} below \`accept\` of the source ${name}`,
  );
}
