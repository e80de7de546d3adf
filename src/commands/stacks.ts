import { ConfigProblems } from "../config/config.js";
import { renderStacksText } from "../report/stacks-report.js";
import type { BrokenStack } from "../stacks/find-stacks.js";
import { safeJsonLine } from "../core/visible.js";
import type { CommandIo } from "./support/command-io.js";
import { type Flags, type DefineCommand } from "./support/command-options.js";
import { findStacks, sayNothingChanged } from "./support/all-stacks.js";
import { writeResult } from "./support/output.js";

export const define: DefineCommand = (command, run) =>
  command
    .description("Works offline. The JSON is one line, for a pipeline's matrix.")
    .option("--changed-since <ref>", "only those that changed since the merge base with this commit")
    .shared(["text", "json"])
    .examples([
      ["edgewise stacks --changed-since origin/main -o json", "those that a pull request touches, for a matrix"],
    ])
    .action(run(stacks));

async function stacks(io: CommandIo, { changedSince }: Flags) {
  const found = await findStacks(changedSince, io);
  if (found.broken.length > 0) throw allProblems(found.broken);
  if (found.all.length === 0 && found.removed.length === 0)
    io.log.warning(`there is no edgewise.yaml in ${io.cwd} or below it`);
  else if (found.all.length > 0) sayNothingChanged(found, changedSince, io.log);
  const text =
    io.format === "json"
      ? // One line, as $GITHUB_OUTPUT takes it.
        safeJsonLine({ format: "edgewise.configurations/v1", stacks: found.stacks })
      : renderStacksText(found.stacks);
  await writeResult(text, io);
  return 0;
}

/** What is wrong with a file itself, as a link that is refused, comes first. */
function allProblems(broken: readonly BrokenStack[]) {
  const other = broken.find(({ error }) => !(error instanceof ConfigProblems));
  if (other !== undefined) return other.error;
  const diagnostics = broken.flatMap(({ error }) => (error instanceof ConfigProblems ? error.diagnostics : []));
  return new ConfigProblems([...new Set(broken.map(({ config }) => config))].join(", "), diagnostics);
}
