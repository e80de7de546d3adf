import { ciRecipes } from "../generated/ci-recipes.js";
import type { InitFile } from "./init-files.js";

/** The systems that `init` writes pipelines for. */
export type CiSystem = "github" | "gitlab" | "none";

/** The pipelines of a repository: the recipes in examples/ci. Pure. */
export function ciFiles(options: {
  readonly ci: CiSystem;
  readonly version: string;
  /** Whether the repository holds the program. */
  readonly vendored: boolean;
}): readonly InitFile[] {
  if (options.ci === "none") return [];
  return ciRecipes[options.ci].map(({ path, lines }) => {
    return { path, text: (options.vendored ? lines : withoutProgram(lines, options.version)).join("\n") };
  });
}

/** A GitHub workflow for a repository that doesn't hold the program: each job has a step that a person completes. */
function withoutProgram(workflow: readonly string[], version: string): readonly string[] {
  const lines: string[] = [];
  let inProgram = false;
  for (const line of workflow) {
    inProgram = line === programStep || (inProgram && line.startsWith("        "));
    if (line === programStep) {
      while (lines.at(-1)?.startsWith("      # ") === true) lines.pop();
      lines.push(...installStep(version));
    } else if (!inProgram && line !== ifFound && line !== programPath) {
      lines.push(
        line.replace(/node (?:"\$RUNNER_TEMP\/edgewise\/edgewise\.mjs"|\.edgewise\/edgewise\.mjs)/gu, "edgewise"),
      );
    }
  }
  return lines;
}

const programStep = "      - name: Program";
const ifFound = "        if: steps.program.outputs.found == 'true'";
const programPath = '      - ".edgewise/**"';

/** edgewise is on no registry. */
function installStep(version: string): readonly string[] {
  return `      # Put edgewise ${version} on the PATH here, from a place that you control and that a pull request can't change. For
      # example, commit .edgewise/edgewise.mjs after all (run edgewise init --upgrade), download the file edgewise.mjs of a
      # release and check it with sha256sum, or run npm install --global git+https://HOST/PATH/edgewise.git#COMMIT.
      - name: Program
        run: edgewise --version`.split("\n");
}
