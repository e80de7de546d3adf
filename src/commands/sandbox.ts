import { resolve } from "node:path";
import { Option } from "commander";
import { modulesWithoutEndpoint } from "../generated/kind-names.js";
import { parseFault } from "../sandbox/fault.js";
import { startSandbox } from "../sandbox/start-sandbox.js";
import type { CommandIo } from "./support/command-io.js";
import { type DefineCommand, type Flags, collect, latency, rareGroup, wholeNumber } from "./support/command-options.js";
import { workplaceOf, writeResult } from "./support/output.js";

export const define: DefineCommand = (command, run) =>
  command
    .description("First prints its URL and API key.")
    .option("--port <number>", "the port (default: a free one)", wholeNumber(0, 65_535))
    .option("--data <file>", "load the resources from this file, and save them there")
    .option("--page-size <number>", "resources per page of a list", wholeNumber(1, 100))
    .option("--latency <ms>", "delay each response by this time (50, 50ms, 2s)", latency)
    .shared(["text", "json"], "versionHeader")
    .optionsGroup(rareGroup)
    .option("--lenient", "also accept clients that deviate from the documented API")
    .option("--fault <spec>", "inject a fault, like status=503,probability=0.1 (repeatable)", collect)
    .addOption(
      new Option("--module-endpoint <module...>", "also serve these modules of TLS edges at their own paths").choices(
        modulesWithoutEndpoint,
      ),
    )
    .examples([["edgewise sandbox --port 8080 --data world.json", "keep the resources between runs"]])
    .action(run(sandbox));

async function sandbox(io: CommandIo, flags: Flags) {
  const { log } = io;
  const given = io.env["EDGEWISE_API_KEY"]?.trim() || undefined;
  const { apiKey, baseUrl, close, versionHeader } = await startSandbox({
    ...flags,
    ...(given !== undefined && { apiKey: given }),
    ...(flags.data !== undefined && { dataFile: resolve(io.cwd, flags.data), workplace: workplaceOf(io) }),
    latencyMs: flags.latency ?? 0,
    faults: (flags.fault ?? []).map(parseFault),
    moduleEndpoints: flags.moduleEndpoint ?? [],
    onDataFileError: (error) => log.warning(error instanceof Error ? error.message : String(error)),
    onRequest: ({ method, path, status, faults }) => {
      const applied = faults.length === 0 ? "" : ` (fault ${faults.join("; ")})`;
      if (io.verbose) log.info(`${method} ${path} ${status ?? "reset"}${applied}`);
    },
  });
  const stopped = new Promise<void>((done) => {
    const forget = io.onSignal(() => {
      forget();
      done();
    });
  });
  if (io.format === "json") {
    await writeResult(JSON.stringify({ baseUrl, apiKey, versionHeader }), io);
  } else {
    // A given key may belong to a real service; a generated one must be shown in full.
    const shown = apiKey === given ? `${given.slice(0, Math.min(4, Math.floor(given.length / 2)))}…` : apiKey;
    await writeResult(`The sandbox listens at ${baseUrl}, and its API key is ${shown}`, io);
    log.info(`Its version header is ${versionHeader}. It is a model of the service. Press Ctrl-C to stop it.`);
  }
  await stopped;
  await close();
  return 0;
}
