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
    const text = lines.join("\n");
    return { path, text: options.vendored ? text : withoutProgram(text, options.version) };
  });
}

/** A GitHub workflow for a repository that doesn't hold the program: each job has a step that a person completes. */
function withoutProgram(workflow: string, version: string): string {
  return workflow
    .replace(/(?: {6}# .*\n)? {6}- name: Program\n(?: {8}.*\n)+/gu, installStep(version))
    .replace(/ {8}if: steps\.program\.outputs\.found == 'true'\n/gu, "")
    .replace(/ {6}- "\.edgewise\/\*\*"\n/gu, "")
    .replace(/node (?:"\$RUNNER_TEMP\/edgewise\/edgewise\.mjs"|\.edgewise\/edgewise\.mjs)/gu, "edgewise");
}

/** edgewise is on no registry. */
function installStep(version: string): string {
  return `      # Put edgewise ${version} on the PATH here, from a place that you control and that a pull request can't change. For
      # example, commit .edgewise/edgewise.mjs after all (run edgewise init --upgrade), download the file edgewise.mjs of a
      # release and check it with sha256sum, or run npm install --global git+https://HOST/PATH/edgewise.git#COMMIT.
      - name: Program
        run: edgewise --version
`;
}
