import { Option } from "commander";
import { collect, latency, wholeNumber } from "./support/parsers.js";
import { parseFault } from "../sandbox/fault.js";
import { startSandbox } from "../sandbox/start-sandbox.js";
import { resolve } from "node:path";
import { EdgewiseError } from "../core/errors.js";
import { modulesWithoutEndpoint } from "../generated/kind-names.js";
import type { ModelOptions } from "../model/model-options.js";
import type { SandboxOptions } from "../sandbox/sandbox-options.js";
import type { GuardedIo } from "./support/io.js";
import { createLog } from "./support/log.js";
import { workplaceOf } from "./support/output-files.js";
import { writeResult } from "./support/output.js";
import {
  addExamples,
  addSharedOptions,
  addVersionHeaderOption,
  rareGroup,
  type CommonFlags,
  type DefineCommand,
} from "./support/command-options.js";

/** The flags of `edgewise sandbox`, as the program parsed them. */
export interface SandboxFlags extends CommonFlags {
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
  command.action((flags: SandboxFlags) => run(flags, async (io) => sandboxCommand(flags, io)));
};

/**
 * `sandbox`: serves the whole API until SIGINT or SIGTERM. The first line on stdout shows its URL and API key. Words
 * are for people and logs, and show only the beginning of a key from the environment; JSON is for the program that goes on
 * to use the key. With `-v` every request is shown on stderr.
 * @throws EdgewiseError `usage` for an invalid fault or option, `io` for port and data file
 */
export async function sandboxCommand(flags: SandboxFlags, io: GuardedIo): Promise<number> {
  const log = createLog(flags, io);
  const apiKey = io.env["EDGEWISE_API_KEY"]?.trim();
  const sandbox = await startSandbox({
    ...(flags.port === undefined ? {} : { port: flags.port }),
    ...(apiKey === undefined || apiKey === "" ? {} : { apiKey }),
    ...(flags.data === undefined ? {} : { dataFile: resolve(io.cwd, flags.data), workplace: workplaceOf(io) }),
    ...(flags.pageSize === undefined ? {} : { pageSize: flags.pageSize }),
    ...(flags.latency === undefined ? {} : { latencyMs: flags.latency }),
    ...(flags.versionHeader === undefined ? {} : { versionHeader: flags.versionHeader }),
    ...(flags.seed === undefined ? {} : { seed: flags.seed }),
    lenient: flags.lenient === true,
    faults: (flags.fault ?? []).map(parseFault),
    moduleEndpoints: (flags.moduleEndpoint ?? []).map(moduleEndpoint),
    model: modelOf(flags),
    onDataFileError: (error) => log.warning(error instanceof Error ? error.message : String(error)),
    ...(flags.verbose === true
      ? {
          onRequest: ({ method, path, status, faults }) => {
            const applied = faults.length === 0 ? "" : ` (fault ${faults.join("; ")})`;
            log.info(`${method} ${path} ${status ?? "reset"}${applied}`);
          },
        }
      : {}),
  });
  const { baseUrl, versionHeader } = sandbox;
  const stopped = new Promise<void>((done) => {
    const forget = io.onSignal(() => {
      forget();
      done();
    });
  });
  if (flags.output === "json") {
    await writeResult(JSON.stringify({ baseUrl, apiKey: sandbox.apiKey, versionHeader }), flags, io);
  } else {
    // A key from the environment may belong to a real service; a generated one must be shown in full.
    const shownKey = sandbox.apiKey === apiKey ? beginningOf(apiKey) : sandbox.apiKey;
    await writeResult(`The sandbox listens at ${baseUrl}, and its API key is ${shownKey}`, flags, io);
    log.info(
      `Its version header is ${versionHeader}. It is a model of the service, not the service itself. Press Ctrl-C to stop it.`,
    );
  }
  await stopped;
  await sandbox.close();
  return 0;
}

const unsetTexts = { empty: "", null: null, omitted: "omitted" } as const;

/** How the modelled service differs from the usual one. */
function modelOf(flags: SandboxFlags): NonNullable<SandboxOptions["model"]> {
  return {
    ...(flags.unsetText === undefined ? {} : { unsetText: unsetTexts[flags.unsetText] }),
    ...(flags.unsetModule === undefined ? {} : { unsetModule: flags.unsetModule }),
    ...(flags.deleteUnset === undefined ? {} : { deleteUnsetModule: flags.deleteUnset }),
    ...(flags.allowDangling === true ? { deleteReferenced: "dangle" as const } : {}),
    ...(flags.oneRestrictionPerType === true ? { oneRestrictionPerType: true } : {}),
  };
}

/** Enough of a key to recognize it. */
function beginningOf(key: string): string {
  return `${key.slice(0, Math.min(4, Math.floor(key.length / 2)))}…`;
}

function moduleEndpoint(name: string): string {
  if (modulesWithoutEndpoint.some((module) => module === name)) return name;
  throw new EdgewiseError("usage", `"${name}" is not a module that can have its own endpoint`, {
    remedy: `Give ${modulesWithoutEndpoint.join(" or ")}.`,
  });
}
