import { buildCommit, buildModified, version } from "../core/version.js";
import type { GuardedIo } from "./support/io.js";
import { writeResult } from "./support/output.js";
import { addExamples, addSharedOptions, type CommonFlags, type DefineCommand } from "./support/command-options.js";

export const define: DefineCommand = (command, run) => {
  command.description(
    "Prints the version of edgewise, the commit that it was built from, and the Node and the platform that run it.",
  );
  addSharedOptions(command, ["text", "json"]);
  addExamples(command, [["edgewise version -o json", "for a bug report"]]);
  command.action((flags: CommonFlags) => run(flags, async (io) => versionCommand(flags, io)));
};

/** `version`: which edgewise this is, what it was built from and what it runs on. Reads no configuration. */
export async function versionCommand(flags: CommonFlags, io: GuardedIo): Promise<number> {
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
  await writeResult(flags.output === "json" ? JSON.stringify(result, null, 2) : text, flags, io);
  return 0;
}
