import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Option } from "commander";
import type { ReadClient } from "../api/client.js";
import { EdgewiseError } from "../core/errors.js";
import { limits } from "../core/limits.js";
import { shellWord } from "../core/text.js";
import { type Exported, exportManifests } from "../export/export-manifests.js";
import { resourceKey } from "../export/exported-resources.js";
import { type MatchedState, type StateReport, matchTfState, readTfState } from "../export/match-tfstate.js";
import { makeDirectory, writeFile } from "../files/write-file.js";
import { listedKinds, moduleKinds } from "../kinds/names.js";
import { readAllModules, readLive } from "../live/read-live.js";
import { loadContext, requireStack } from "./support/command-context.js";
import { type CommandIo, type Log, during } from "./support/command-io.js";
import { type Flags, type DefineCommand, kindsArgument } from "./support/command-options.js";
import { withReadClient } from "./support/connect.js";
import { readJsonFile, workplaceOf, writeResult } from "./support/output.js";

export const define: DefineCommand = (command, run) =>
  command
    .addArgument(kindsArgument("export only these kinds"))
    .description(
      "The next plan over them only adopts. What no manifest can say is left out, with a comment and a warning. Reads no manifests.",
    )
    .addOption(new Option("--owned", "export what this stack owns, instead of what no stack owns").conflicts("all"))
    .option("--all", "export everything")
    .addOption(
      new Option("--from-tfstate <file>", "only what this Terraform state manages, named like there").conflicts(
        "owned",
      ),
    )
    .option("--out-dir <dir>", "write files into this directory, which is made if its parent exists")
    .shared(["yaml", "json"], "config service concurrency pages")
    .examples([
      ["edgewise export --out-dir edge", "bring an account into Git"],
      ["edgewise export TLSEdge", "print one kind"],
      ["edgewise export --from-tfstate <(terraform state pull) --out-dir edge", "take over from Terraform"],
    ])
    .action(run(exportResources));

async function exportResources(commandIo: CommandIo, named: readonly string[], flags: Flags) {
  const context = await loadContext(flags, commandIo);
  const { config, io } = context;
  if (flags.owned) requireStack(context);
  const kinds = listedKinds.filter((kind) => named.includes(kind));
  const state = flags.fromTfstate === undefined ? null : await stateFrom(flags.fromTfstate, io.cwd);
  const exported = await withReadClient(context, async (client) => {
    const { live, terraform } = await during(io, "Reading live resources …", async () => {
      const lists = await readLive(client, { used: new Set(kinds), modules: [] });
      if (state === null) return { live: lists };
      const matched = matchTfState(state, lists.lists);
      const modules = await readNamedModules(client, kinds.length > 0 ? [] : matched.matched);
      return { live: { ...lists, modules }, terraform: matched };
    });
    return await exportManifests(live, {
      which: flags.all ? "all" : flags.owned ? "owned" : "unowned",
      stacks: config.stack === null ? [] : [config.stack, ...config.previousStacks],
      kinds,
      format: io.format === "json" ? "json" : "yaml",
      ...(terraform !== undefined && { terraform }),
    });
  });
  if (flags.outDir === undefined) await writeResult(exported.whole, io);
  else await writeFiles(exported, flags.outDir, io);
  logFollowUps(exported, config.stack !== null, io.log);
  return 0;
}

/** It holds secrets in clear: no error quotes it, and only addresses and ids are kept. */
async function stateFrom(file: string, cwd: string) {
  const read = await readJsonFile(file, cwd, { most: limits.stateBytes, deepest: limits.depth });
  const resources = "why" in read ? null : readTfState(read.value);
  if (resources !== null) return resources;
  const why =
    "why" in read ? `can't be used as a Terraform state: ${read.why}` : "is not a Terraform state of version 4";
  const remedy = "Name what `terraform state pull` prints. Delete the file afterwards: it holds secrets in clear.";
  throw new EdgewiseError("io", `${file} ${why}`, remedy);
}

async function readNamedModules(client: ReadClient, matched: MatchedState["matched"]) {
  const current = matched.filter(({ resource }) => !resource.deposed);
  const named = new Map(current.map((each) => [resourceKey(each.kind, each.resource.id ?? ""), each]));
  const read = [...named.values()].map(async ({ kind, resource: { id } }) => {
    const module = moduleKinds.find((each) => each === kind);
    return (module && id && (await readAllModules(client, module, id))) || [];
  });
  return (await Promise.all(read)).flat();
}

async function writeFiles({ files }: Exported, dir: string, io: CommandIo) {
  const paths = files.map(({ path }) => join(dir, path));
  const existing = paths.filter((path) => existsSync(resolve(io.cwd, path)));
  if (existing.length > 0)
    throw new EdgewiseError(
      "io",
      `nothing was written: there already is ${existing.join(", ")}`,
      "Name another directory.",
    );
  const place = workplaceOf(io);
  makeDirectory(dir, place);
  for (const { path, text } of files) {
    const file = join(dir, path);
    if (dirname(path) !== ".") makeDirectory(dirname(file), place);
    await writeFile(file, text, place, "ordinary");
    io.log.info(`wrote ${file}`, { file });
  }
}

function logFollowUps({ count, secretsNeeded, terraform, warnings }: Exported, hasStack: boolean, log: Log) {
  for (const warning of warnings) log.warning(warning);
  if (terraform !== null) logRelease(terraform, count, log);
  else if (count === 0 && warnings.length === 0) {
    const hint = hasStack ? " --owned exports what this stack owns, --all everything." : "";
    log.info(`Nothing to export: nothing of these kinds is live without an owner.${hint}`);
  }
  if (secretsNeeded.length === 0) return;
  log.info("Secrets are not exported. Set these environment variables:");
  for (const { variable, address, field } of secretsNeeded)
    log.info(`  ${variable}  ${field} of ${address}`, { variable, address, field });
}

function logRelease({ exported }: StateReport, count: number, log: Log) {
  if (exported.length === 0)
    return log.info("Nothing to export: the state names no live resource of these kinds that no stack owns.");
  const which = count === 1 ? "1 resource is" : `${count} resources are`;
  log.info(
    `${which} still Terraform's too. Before it runs again, apply these manifests, and take the resources out of its configuration and state:`,
  );
  const released = new Map(exported.map(({ address, terraform }) => [terraform, address]));
  for (const [terraform, address] of released)
    log.info(`  terraform state rm ${shellWord(terraform)}`, { address, terraform });
}
