import { buildCommit, buildModified, version } from "../core/version.js";
import type { CommandIo } from "./support/command-io.js";
import { writeData } from "./support/output.js";
import { type DefineCommand } from "./support/command-options.js";

export const define: DefineCommand = (command, run) =>
  command
    .description(
      "Prints the version of edgewise, the commit that it was built from, and the Node and the platform that run it.",
    )
    .shared(["text", "json"])
    .examples([["edgewise version -o json", "for a bug report"]])
    .action(run(showVersion));

async function showVersion(io: CommandIo): Promise<number> {
  const { arch, platform, versions } = process;
  const result = {
    format: "edgewise.version/v1",
    version,
    commit: buildCommit,
    modified: buildModified,
    node: versions.node,
    platform: `${platform}-${arch}`,
  };
  const text = [
    `edgewise ${result.version}`,
    `commit   ${result.commit ?? "unknown"}${result.modified === true ? ", with uncommitted changes" : ""}`,
    `Node     ${result.node}`,
    `platform ${result.platform}`,
  ].join("\n");
  await writeData(result, () => text, io);
  return 0;
}
