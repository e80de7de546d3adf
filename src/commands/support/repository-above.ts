import { join } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { workTreeOf } from "../../files/real-path.js";
import { realPathOf } from "../../git/find-repository.js";
import type { CiSystem } from "../../init/ci-files.js";
import { programDirectory, programPath } from "../../init/vendored-program.js";
import { exists } from "./output-files.js";

/** A repository whose top is above a directory. */
export interface RepositoryAbove {
  /** Its top, absolute. */
  readonly top: string;
  /** Whether it holds the program there: then its pipelines find every stack below. */
  readonly hasProgram: boolean;
}

/** The repository that a directory is in; null when it is in none, or is itself the top. It need not exist yet. */
export async function repositoryAbove(directory: string): Promise<RepositoryAbove | null> {
  const real = await realPathOf(directory);
  const top = workTreeOf(real);
  return top === null || top === real ? null : { top, hasProgram: await exists(join(top, programPath)) };
}

/** What is told when a directory gets only a stack. */
export function onlyStack({ top }: RepositoryAbove): string {
  return `The program and the pipelines are at the repository's top, ${top}; here is only a stack, which they find.`;
}

/** What doesn't work where it was written; null when everything does. */
export function deadPipelines({ top }: RepositoryAbove, directory: string, ci: CiSystem): string | null {
  if (ci === "none") return null;
  const what = { github: "GitHub reads workflows", gitlab: "GitLab reads its pipeline" }[ci];
  const files = { github: ".github", gitlab: ".gitlab-ci.yml, .gitlab" }[ci];
  return `${what} only at the repository's top, ${top}, so what was written in ${directory} never runs. Move ${files}, ${programDirectory} and .gitattributes there.`;
}

/** @throws EdgewiseError `usage` when the program to renew is at the top, and not in the directory */
export async function refuseUpgradeBelow(above: RepositoryAbove | null, directory: string): Promise<void> {
  if (above?.hasProgram !== true || (await exists(join(directory, programPath)))) return;
  throw new EdgewiseError(
    "usage",
    `${directory} holds no program to renew: it is at the repository's top, ${above.top}`,
    {
      remedy: "Run `edgewise init --upgrade` there.",
    },
  );
}
