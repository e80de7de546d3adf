// Generates src/generated/ci-recipes.ts from examples/ci: what `init` writes, and what people copy, are the same texts.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Where each recipe belongs in a repository, by the system that reads it. */
const places = {
  github: Object.fromEntries(
    ["edgewise-plan", "edgewise-apply", "edgewise-apply-stack", "edgewise-drift", "edgewise-rollback"].map((name) => [
      `.github/workflows/${name}.yaml`,
      `github/${name}.yaml`,
    ]),
  ),
  gitlab: {
    ".gitlab-ci.yml": "gitlab/gitlab-ci.yml",
    ".gitlab/edgewise-stack.yml": "gitlab/edgewise-stack.yml",
  },
};

/** The generated module, by its name. */
export function generateRecipes() {
  const examples = fileURLToPath(new URL("../examples/ci/", import.meta.url));
  const files = Object.entries(places).map(([system, paths]) => {
    const entries = Object.entries(paths).map(([path, recipe]) => {
      const lines = readFileSync(examples + recipe, "utf8").split("\n");
      return `    {\n      path: ${JSON.stringify(path)},\n      lines: [\n${lines.map((line) => `        ${JSON.stringify(line)},\n`).join("")}      ],\n    },\n`;
    });
    return `  ${system}: [\n${entries.join("")}  ],\n`;
  });
  return {
    "ci-recipes.ts":
      "// Generated from examples/ci by `npm run generate`. Not to be edited.\n" +
      "/** The recipes of each system, and where they belong in a repository. */\n" +
      `export const ciRecipes = {\n${files.join("")}} as const;\n`,
  };
}
