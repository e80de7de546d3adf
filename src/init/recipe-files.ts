import { createHash } from "node:crypto";
import { ciRecipes } from "../generated/ci-recipes.js";
import type { InitFile } from "./init-files.js";

export type CiSystem = "github" | "gitlab" | "none";

export function recipeFiles(ci: CiSystem, vendored: boolean, version: string): readonly InitFile[] {
  if (ci === "none") return [];
  return ciRecipes[ci].map(({ path, text }) => {
    return { path, text: signed(vendored ? text : withoutProgram(text, version)) };
  });
}

/** Whether a recipe is as `init` wrote it, so that `init --upgrade` may replace it. */
export function isAsWritten(text: string): boolean {
  const own = text.replaceAll("\r\n", "\n");
  const at = own.lastIndexOf(signature);
  return at >= 0 && own === signed(own.slice(0, at));
}

const signature = "# As `edgewise init` wrote it, sha256 ";

function signed(text: string): string {
  return `${text}${signature}${createHash("sha256").update(text).digest("hex")}\n`;
}

/** A recipe for a repository that doesn't hold the program: each job has a step that a person completes. */
function withoutProgram(text: string, version: string): string {
  const install = `      # Put edgewise ${version} on the PATH here, from a place that you control and that a pull request can't change.
      - run: edgewise --version`;
  const lines = text.split("\n").filter((line) => !/^ +(?:git (?:cat-file|show) |BASE: )/u.test(line));
  const uses = lines.map((line) => line.replace(/node (?:\.edgewise|"\$RUNNER_TEMP)\/edgewise\.mjs"?/u, "edgewise"));
  return uses.map((line) => (/^ +with: \{ persist-credentials/u.test(line) ? `${line}\n${install}` : line)).join("\n");
}
