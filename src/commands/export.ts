import { dirname, join, resolve } from "node:path";
import { EdgewiseError } from "../errors.js";
import type { Exported } from "../export/export-manifests.js";
import { makeDirectory } from "../files/hold-directory.js";
import { writeFile } from "../files/write-file.js";
import { type ListedKind, listedKinds } from "../kinds/names.js";
import { type CommandContext, loadContext, requireStack } from "./support/command-context.js";
import { withReadClient } from "./support/connect.js";
import type { ConnectFlags } from "./support/flags.js";
import type { GuardedIo } from "./support/io.js";
import { during } from "./support/log.js";
import { exists, workplaceOf } from "./support/output-files.js";
import { writeResult } from "./support/output.js";

export interface ExportFlags extends ConnectFlags {
  readonly owned?: boolean;
  readonly all?: boolean;
  readonly outDir?: string;
  readonly split?: "kind" | "resource";
  readonly force?: boolean;
}

/** `export [KIND…]`: writes live resources as manifests whose next plan only adopts. Reads no manifests. */
export async function exportCommand(
  named: readonly string[],
  flags: ExportFlags,
  guardedIo: GuardedIo,
): Promise<number> {
  const context = await loadContext(flags, guardedIo);
  if (flags.owned === true) requireStack(context);
  const exported = await exportLive(
    listedKinds.filter((kind) => named.includes(kind)),
    flags,
    context,
  );
  if (flags.outDir === undefined) await writeResult(exported.whole, flags, context.io);
  else await writeFiles(exported, flags.outDir, flags, context);
  logFollowUps(exported, context);
  return 0;
}

/** @param kinds the kinds to export; empty = all */
async function exportLive(
  kinds: readonly ListedKind[],
  flags: ExportFlags,
  context: CommandContext,
): Promise<Exported> {
  const { config, status } = context;
  return withReadClient(context, flags, async (client) => {
    const [{ readLive }, { exportManifests }] = await Promise.all([
      import("../live/read-live.js"),
      import("../export/export-manifests.js"),
    ]);
    const live = await during(status, "Reading live resources …", async () =>
      readLive(client, { used: new Set(kinds), modules: [] }),
    );
    return await exportManifests(live, {
      which: flags.all === true ? "all" : flags.owned === true ? "owned" : "unowned",
      stacks: config.stack === null ? [] : [config.stack, ...config.previousStacks],
      kinds,
      format: flags.output === "json" ? "json" : "yaml",
      // A JSON file is one manifest, so that it can be read back; on stdout there is one text.
      split: flags.outDir === undefined ? "kind" : flags.output === "json" ? "resource" : (flags.split ?? "kind"),
    });
  });
}

async function writeFiles(
  exported: Exported,
  dir: string,
  flags: ExportFlags,
  { io, log }: CommandContext,
): Promise<void> {
  if (flags.force !== true) {
    const paths = exported.files.map(({ path }) => join(dir, path));
    const taken = await Promise.all(paths.map(async (path) => exists(resolve(io.cwd, path))));
    const existing = paths.filter((_, index) => taken[index]);
    if (existing.length > 0) {
      throw new EdgewiseError("io", `nothing was written, because these files exist: ${existing.join(", ")}`, {
        remedy: "Name another directory, or give --force to overwrite.",
      });
    }
  }
  const place = workplaceOf(io);
  makeDirectory(dir, place);
  for (const { path, text } of exported.files) {
    if (dirname(path) !== ".") makeDirectory(join(dir, dirname(path)), place);
    await writeFile(join(dir, path), io.mask(text), place, "ordinary");
    log.info(`wrote ${join(dir, path)}`, { file: join(dir, path) });
  }
}

/** Shows on stderr what to do before planning with these manifests. */
function logFollowUps({ count, secretsNeeded, warnings }: Exported, { log, config }: CommandContext): void {
  for (const warning of warnings) log.warning(warning);
  if (count === 0 && warnings.length === 0) {
    const hint = config.stack === null ? "" : " --owned exports what this stack owns, --all everything.";
    log.info(
      `Nothing to export: no live resource of these kinds matches. By default, only unowned resources do.${hint}`,
    );
  }
  if (secretsNeeded.length === 0) return;
  log.info("Secrets are not exported. To create resources or compare policies, set these environment variables:");
  for (const { variable, address, field } of secretsNeeded)
    log.info(`  ${variable}  ${field} of ${address}`, { variable, address, field });
}
