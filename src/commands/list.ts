import { Option } from "commander";
import { groupNotices } from "../report/report-view.js";
import { safeJson } from "../core/visible.js";
import { renderListText } from "../report/list-text.js";
import { readLive } from "../live/read-live.js";
import { type ListedKind, listedKinds } from "../kinds/names.js";
import { type Ownership, inventoryOf } from "../plan/inventory.js";
import { listFew } from "../core/text.js";
import { version } from "../core/version.js";
import { loadContext, requireBaseUrl, requireStack } from "./support/command-context.js";
import { withReadClient } from "./support/connect.js";
import type { GuardedIo } from "./support/io.js";
import { during } from "./support/log.js";
import { isColored, writeResult } from "./support/output.js";
import {
  addExamples,
  addSharedOptions,
  kindsArgument,
  type ConnectFlags,
  type DefineCommand,
} from "./support/command-options.js";

export interface ListFlags extends ConnectFlags {
  readonly owned?: boolean;
  readonly unowned?: boolean;
}

export const define: DefineCommand = (command, run) => {
  command.addArgument(kindsArgument("list only these kinds"));
  command.description(
    "Lists the live resources: address or id, owner, what identifies each, and what refers to it. Reads no manifests, and needs no stack.",
  );
  command
    .optionsGroup("List:")
    .addOption(new Option("--owned", "list only what this stack owns").conflicts("unowned"))
    .option("--unowned", "list only what no stack owns");
  addSharedOptions(command, ["text", "json"], "config", "service", "concurrency");
  addExamples(command, [
    ["edgewise list", "everything that is live"],
    ["edgewise list --unowned", "what no stack owns"],
    ["edgewise list -o json", "for a script"],
  ]);
  command.action((kinds: readonly ListedKind[], flags: ListFlags) =>
    run(flags, async (io) => listCommand(kinds, flags, io)),
  );
};

/** `list [KIND…]`: shows what is live, whose it is and who refers to it. Reads no manifests; needs no stack. */
export async function listCommand(
  named: readonly ListedKind[],
  flags: ListFlags,
  guardedIo: GuardedIo,
): Promise<number> {
  const context = await loadContext(flags, guardedIo);
  const { config, io, log, status } = context;
  const baseUrl = requireBaseUrl(context);
  if (flags.owned === true) requireStack(context);
  const ownership: Ownership | null = flags.owned === true ? "this" : flags.unowned === true ? "none" : null;
  const inventory = await withReadClient(context, flags, async (client) => {
    const live = await during(status, "Reading live resources …", async () =>
      readLive(client, { used: new Set(named), modules: [] }),
    );
    return inventoryOf(live, {
      stack: config.stack,
      previousStacks: config.previousStacks,
      baseUrl,
      toolVersion: version,
      kinds: listedKinds.filter((kind) => named.includes(kind)),
      ownership,
    });
  });
  for (const { addresses, code, message } of groupNotices(inventory.warnings))
    log.warning(addresses.length === 0 ? message : `${listFew(addresses, 6)}: ${message}`, { code });
  if (flags.output === "json") {
    await writeResult(safeJson(inventory), flags, io);
    return 0;
  }
  await writeResult(renderListText(inventory, { color: isColored(flags, io), now: io.now() }), flags, io);
  return 0;
}
