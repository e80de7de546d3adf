import { Option } from "commander";
import { collect, latency, wholeNumber } from "./support/parsers.js";
import { parseFault } from "../sandbox/fault.js";
import { startSandbox } from "../sandbox/start-sandbox.js";
import { resolve } from "node:path";
import { EdgewiseError } from "../core/errors.js";
import { modulesWithoutEndpoint } from "../generated/kind-names.js";
import type { ModelOptions } from "../model/model-options.js";
import type { CommandIo } from "./support/command-io.js";
import { workplaceOf, writeResult } from "./support/output.js";
import {
  addExamples,
  addSharedOptions,
  addVersionHeaderOption,
  rareGroup,
  type CommonFlags,
  type DefineCommand,
} from "./support/command-options.js";

interface SandboxFlags extends CommonFlags {
  readonly port?: number;
  readonly data?: string;
  readonly pageSize?: number;
  /** Milliseconds. */
  readonly latency?: number;
  readonly fault?: readonly string[];
  readonly lenient?: boolean;
  readonly seed?: string;
  readonly moduleEndpoint?: readonly string[];
  readonly unsetText?: "empty" | "null" | "omitted";
  readonly unsetModule?: ModelOptions["unsetModule"];
  readonly deleteUnset?: ModelOptions["deleteUnsetModule"];
  readonly allowDangling?: boolean;
  readonly oneRestrictionPerType?: boolean;
}

export const define: DefineCommand = (command, run) => {
  command.description("Runs a local server of the whole API. The first line of its output shows its URL and API key.");
  command
    .optionsGroup("Sandbox:")
    .option("--port <number>", "the port (default: a free one)", wholeNumber(0, 65_535))
    .option("--data <file>", "load the resources from this file, and save them there")
    .option("--page-size <number>", "resources per page of a list", wholeNumber(1, 100))
    .option(
      "--latency <ms>",
      "delay each response by this time, in milliseconds or with a unit (50, 50ms, 2s)",
      latency,
    );
  addSharedOptions(command, ["text", "json"]);
  addVersionHeaderOption(command.optionsGroup(rareGroup))
    .option("--lenient", "also accept clients that deviate from the documented API")
    .option("--fault <spec>", "inject a fault, like status=503,probability=0.1 (repeatable)", collect)
    .option("--seed <text>", "make ids and the random choices of faults reproducible")
    .addOption(
      new Option("--module-endpoint <module>", "also serve this module of TLS edges at its own path (repeatable)")
        .choices(modulesWithoutEndpoint)
        .argParser(collect),
    )
    .addOption(
      new Option("--unset-text <how>", "how unset descriptions and metadata come back (default: empty)").choices([
        "empty",
        "null",
        "omitted",
      ]),
    )
    .addOption(
      new Option(
        "--unset-module <how>",
        "how unset modules are answered; empty: as {}, in their resources, too (default: 404)",
      ).choices(["404", "null", "204", "empty"]),
    )
    .addOption(
      new Option("--delete-unset <status>", "what DELETE of an unset module answers (default: 204)").choices([
        "204",
        "404",
      ]),
    )
    .option("--allow-dangling", "let backends be deleted although edges refer to them")
    .option("--one-restriction-per-type", "refuse a second IP restriction of a type");
  addExamples(command, [
    ["edgewise sandbox --port 8080 --data world.json", "keep the resources between runs"],
    ["edgewise sandbox --latency 50", "as slow as a real service"],
  ]);
  command.action(run(sandbox));
};

/**
 * Serves the whole API until SIGINT or SIGTERM. Words are for people and logs, and show only the beginning of a key from
 * the environment; JSON is for the program that goes on to use the key. With `-v` every request is shown on stderr.
 */
async function sandbox(io: CommandIo, flags: SandboxFlags): Promise<number> {
  const { log } = io;
  const given = io.env["EDGEWISE_API_KEY"]?.trim() || undefined;
  const { apiKey, baseUrl, close, versionHeader } = await startSandbox({
    ...defined({
      port: flags.port,
      apiKey: given,
      pageSize: flags.pageSize,
      latencyMs: flags.latency,
      versionHeader: flags.versionHeader,
      seed: flags.seed,
    }),
    ...(flags.data === undefined ? {} : { dataFile: resolve(io.cwd, flags.data), workplace: workplaceOf(io) }),
    lenient: flags.lenient === true,
    faults: (flags.fault ?? []).map(parseFault),
    moduleEndpoints: (flags.moduleEndpoint ?? []).map(moduleEndpoint),
    model: defined({
      unsetText: flags.unsetText && unsetTexts[flags.unsetText],
      unsetModule: flags.unsetModule,
      deleteUnsetModule: flags.deleteUnset,
      deleteReferenced: flags.allowDangling === true ? "dangle" : undefined,
      oneRestrictionPerType: flags.oneRestrictionPerType,
    }),
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
    // A key from the environment may belong to a real service; a generated one must be shown in full.
    const shown = apiKey === given ? `${given.slice(0, Math.min(4, Math.floor(given.length / 2)))}…` : apiKey;
    await writeResult(`The sandbox listens at ${baseUrl}, and its API key is ${shown}`, io);
    log.info(
      `Its version header is ${versionHeader}. It is a model of the service, not the service itself. Press Ctrl-C to stop it.`,
    );
  }
  await stopped;
  await close();
  return 0;
}

const unsetTexts = { empty: "", null: null, omitted: "omitted" } as const;

function defined<T extends object>(members: T): { [M in keyof T]?: Exclude<T[M], undefined> } {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [M in keyof T]?: Exclude<T[M], undefined> };
}

function moduleEndpoint(name: string): string {
  if (modulesWithoutEndpoint.some((module) => module === name)) return name;
  throw new EdgewiseError("usage", `"${name}" is not a module that can have its own endpoint`, {
    remedy: `Give ${modulesWithoutEndpoint.join(" or ")}.`,
  });
}
