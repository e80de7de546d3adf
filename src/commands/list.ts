import { Option } from "commander";
import { listFew } from "../core/text.js";
import { version } from "../core/version.js";
import { type ListedKind, listedKinds } from "../kinds/names.js";
import { readLive } from "../live/read-live.js";
import { inventoryOf, renderInventory } from "../report/inventory.js";
import { groupNotices } from "../report/report-view.js";
import { loadContext, requireBaseUrl, requireStack } from "./support/command-context.js";
import { type CommandIo, during } from "./support/command-io.js";
import { type Flags, type DefineCommand, kindsArgument } from "./support/command-options.js";
import { withReadClient } from "./support/connect.js";
import { isColored, writeData } from "./support/output.js";

export const define: DefineCommand = (command, run) =>
  command
    .addArgument(kindsArgument("list only these kinds"))
    .description("Reads no manifests, and needs no stack.")
    .addOption(new Option("--owned", "list only what this stack owns").conflicts("unowned"))
    .option("--unowned", "list only what no stack owns")
    .shared(["text", "json"], "config service concurrency")
    .examples([["edgewise list --unowned", "what no stack owns"]])
    .action(run(list));

async function list(commandIo: CommandIo, named: readonly ListedKind[], flags: Flags) {
  const context = await loadContext(flags, commandIo);
  const { config, io } = context;
  const baseUrl = requireBaseUrl(context);
  if (flags.owned) requireStack(context);
  const inventory = await withReadClient(context, async (client) => {
    const live = await during(io, "Reading live resources …", async () =>
      readLive(client, { used: new Set(named), modules: [] }),
    );
    return inventoryOf(live, {
      stack: config.stack,
      previousStacks: config.previousStacks,
      baseUrl,
      toolVersion: version,
      kinds: listedKinds.filter((kind) => named.includes(kind)),
      ownership: flags.owned ? "this" : flags.unowned ? "none" : null,
    });
  });
  for (const { addresses, code, message } of groupNotices(inventory.warnings))
    io.log.warning(addresses.length === 0 ? message : `${listFew(addresses, 6)}: ${message}`, { code });
  await writeData(inventory, () => renderInventory(inventory, { color: isColored(io), now: io.now() }), io);
  return 0;
}
