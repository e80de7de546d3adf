import { Option } from "commander";
import { waitTime } from "./support/parsers.js";
import { renderServeText } from "../report/serve-text.js";
import { systemClock } from "../api/system-clock.js";
import type { Clock } from "../api/client.js";
import { checkFleet } from "../serve/check-fleet.js";
import { loadFleet } from "../serve/fleet/load-fleet.js";
import { type ShownStack, showStack, worstStacksFirst } from "../serve/http/shown-stack.js";
import { createServeLoop } from "../serve/serve-loop.js";
import { createLoopView, stacksOf } from "../serve/loop-view.js";
import { onceExit, serveOnce } from "../serve/serve-once.js";
import { loadServeState } from "../serve/serve-state.js";
import { safeJson } from "../core/visible.js";
import { count } from "../core/text.js";
import type { GuardedIo } from "./support/io.js";
import { createLog } from "./support/log.js";
import { checkOutput } from "./support/output-files.js";
import { textStyle, writeResult } from "./support/output.js";
import { createServeLog } from "./support/serve-log.js";
import { type ServeParts, fleetSecrets, messageOf, openServeParts } from "./support/serve-parts.js";
import { readFleetStatus } from "./support/fleet-status.js";
import { type ServeSignals, takeServeSignals } from "./support/serve-signals.js";
import { addExamples, addSharedOptions, type CommonFlags, type DefineCommand } from "./support/command-options.js";

/** The flags of `edgewise serve`, as the program parsed them. */
export interface ServeFlags extends CommonFlags {
  /** The state directory. */
  readonly state?: string;
  /** `postgres://…`, over EDGEWISE_DATABASE; it may hold a password. */
  readonly database?: string;
  /** `HOST:PORT`, over the fleet file's. */
  readonly listen?: string;
  readonly check?: boolean;
  readonly once?: boolean;
  readonly status?: boolean;
  readonly dryRun?: boolean;
  /** Milliseconds. */
  readonly grace?: number;
}

const defaultGraceMs = 30_000;

/** How long receivers have at the end to be told what there is to tell; after a restart they are told the rest. */
const notifyGraceMs = 2_000;
const notifyOnceMs = 10_000;

/** The time on the wall; waiting is not moved by setting it. */
const wallClock: Clock = { now: () => Date.now(), sleep: (ms, signal) => systemClock.sleep(ms, signal) };

export const define: DefineCommand = (command, run) => {
  command.argument("<fleetfile>", "a YAML file that lists what to serve");
  command.description(
    "Follows repositories, looks at what is live, applies what the fleet file allows, and says what waits. Runs until SIGINT or SIGTERM; SIGHUP reads the fleet file again. Several with one --database share the work. Uses nothing of EDGEWISE_* but EDGEWISE_DATABASE.",
  );
  command
    .optionsGroup("Serve:")
    .option("--state <dir>", "where the state is kept (default: .edgewise-state)")
    .option("--database <url>", "keep the state in this PostgreSQL, over EDGEWISE_DATABASE: postgres://USER@HOST/NAME")
    .option("--listen <host:port>", "where to serve HTTP, over the fleet file's")
    .addOption(
      new Option("--check", "check the fleet file, sources, accounts and stacks, and write nothing").conflicts("once"),
    )
    .option(
      "--once",
      "make one pass of everything, and exit 0: synced, 2: something waits, 3: failed (1 with --dry-run), 4: refused",
    )
    .addOption(
      new Option("--status", "print how the stacks are, as the database has it, and end").conflicts([
        "check",
        "once",
        "dryRun",
      ]),
    )
    .option("--dry-run", "decide and say, but write nothing to the service")
    .option("--grace <duration>", "how long a stop may take, like 30s (default: 30s)", waitTime);
  addSharedOptions(command, ["text", "json"]);
  addExamples(command, [
    ["edgewise serve fleet.yaml --check", "before the first start"],
    ["edgewise serve fleet.yaml --log-format json", "as a service"],
    ["edgewise serve fleet.yaml --once --dry-run -o json", "what it would do, for a script"],
    ["edgewise serve fleet.yaml --database postgres://edgewise@db/edgewise", "one of several, on one database"],
  ]);
  command.action((file: string, flags: ServeFlags) => run(flags, async (io) => serveCommand(file, flags, io)));
};

/**
 * `serve`: keeps the stacks of a fleet file as Git says, until a signal ends it; with `--once` for one pass, with `--check`
 * not at all, with `--status` it only says what others keep. Its settings come from the flags, the fleet file and
 * EDGEWISE_DATABASE alone: of the rest of the environment only what the file names.
 * @throws EdgewiseError or ConfigProblems for the fleet file, the state directory and the address to listen at
 */
export async function serveCommand(file: string, flags: ServeFlags, io: GuardedIo): Promise<number> {
  const hangups = takeHangups(io);
  try {
    await checkOutput(flags.outputFile, io);
    return flags.status === true ? await status(file, flags, io) : await serve(file, flags, io, hangups);
  } finally {
    hangups.end();
  }
}

async function serve(file: string, flags: ServeFlags, io: GuardedIo, hangups: Hangups): Promise<number> {
  const parts = await openServeParts({ file, flags, io, log: createServeLog(flags, io), clock: wallClock });
  const signals = takeServeSignals(io, {
    graceMs: flags.grace ?? defaultGraceMs,
    clock: wallClock,
    emit: parts.deps.emit,
  });
  try {
    if (flags.check === true) return await check(parts, { flags, io, signals });
    if (flags.once === true) return await once(parts, { flags, io, signals });
    return await keepServing(parts, { signals, hangups });
  } finally {
    // A signal that comes meanwhile must not leave the lock behind.
    await Promise.race([parts.close(), signals.over]);
    signals.end();
  }
}

/** Every SIGHUP since the beginning: what comes before somebody listens is told then. */
interface Hangups {
  listen(handler: () => void): void;
  end(): void;
}

function takeHangups(io: Pick<GuardedIo, "onHangup">): Hangups {
  let handler: (() => void) | null = null;
  let missed = false;
  const end = io.onHangup(() => {
    if (handler === null) missed = true;
    else handler();
  });
  return {
    end,
    listen: (listener) => {
      handler = listener;
      if (missed) listener();
    },
  };
}

interface Run {
  readonly flags: ServeFlags;
  readonly io: GuardedIo;
  readonly signals: ServeSignals;
}

/**
 * Says what would keep the fleet from working, without writing anything (schemas/serve-check.schema.json): 0 = nothing,
 * 1 = something.
 */
async function check({ fleet, deps, checkStack }: ServeParts, { flags, io, signals }: Run): Promise<number> {
  const found = await checkFleet(fleet, { ...deps, checkStack }, signals.stop);
  if (signals.stop.aborted) return 130;
  const ok = found.findings.length === 0;
  if (flags.output === "json") {
    const problems = found.findings.map(({ subject, name, place, message }) => ({ subject, name, ...place, message }));
    const { sources, accounts, stacks } = found;
    const result = { format: "edgewise.serve-check/v1", ok, sources, accounts, stacks, problems };
    await writeResult(safeJson(result), flags, io);
    return ok ? 0 : 1;
  }
  const log = createLog(flags, io);
  for (const { place, subject, name, message } of found.findings)
    log.error(`${place.file}:${place.line}:${place.column}: ${subject} ${name}: ${message}`, null, {
      subject,
      name,
      ...place,
    });
  const counts = `${count(found.sources, "source")}, ${count(found.accounts, "account")} and ${count(found.stacks, "stack")}`;
  await writeResult(`${counts} checked: ${ok ? "all is well" : count(found.findings.length, "problem")}`, flags, io);
  return ok ? 0 : 1;
}

/** One pass of everything, and how every stack is after it (schemas/serve-stacks.schema.json). */
async function once(parts: ServeParts, { flags, io, signals }: Run): Promise<number> {
  const { fleet, deps, shownStacks } = parts;
  const state = await loadServeState(fleet, deps);
  const notifier = parts.notify();
  await Promise.race([serveOnce(state, signals, deps), signals.over]);
  await notifier.close(signals.stop.aborted ? 0 : notifyOnceMs);
  if (signals.stop.aborted) return 130;
  await writeStacks(shownStacks(stacksOf(state, deps.clock.now())), flags, io);
  return onceExit(state, deps.dryRun);
}

/** How every stack is, as the processes of the fleet keep it in their database (schemas/serve-stacks.schema.json). */
async function status(file: string, flags: ServeFlags, io: GuardedIo): Promise<number> {
  const fleet = await loadFleet({ file, cwd: io.cwd, ...fleetSecrets(io) });
  const { clock, stacks, warnings } = await readFleetStatus(fleet, flags, io);
  const log = createLog(flags, io);
  for (const warning of warnings) log.warning(warning);
  const shown = worstStacksFirst(stacks.map((stack) => showStack(stack, clock.now())));
  await writeStacks(shown, flags, io, { ages: true });
  return 0;
}

async function writeStacks(
  stacks: readonly ShownStack[],
  flags: ServeFlags,
  io: GuardedIo,
  more: { readonly ages?: boolean } = {},
): Promise<void> {
  if (flags.output === "json")
    return writeResult(safeJson({ format: "edgewise.stacks/v1", stacks, next: null }), flags, io);
  await writeResult(renderServeText(stacks, { ...textStyle(flags, io), ...more }), flags, io);
}

/** Serves until a signal: then nothing is left running, and 0. */
async function keepServing(
  parts: ServeParts,
  { hangups, signals }: Pick<Run, "signals"> & { readonly hangups: Hangups },
): Promise<number> {
  const { fleet, deps } = parts;
  const { emit, store, clock } = deps;
  const loop = await createServeLoop(fleet, deps);
  const http = await parts.listen(createLoopView(loop, { store, clock, troubles: parts.troubles }));
  const notifier = parts.notify();
  const reload = async (): Promise<void> => {
    try {
      await loop.changeFleet(await parts.reload());
    } catch (error) {
      emit({ event: "fleet-refused", fleet: fleet.file, message: messageOf(error) });
    }
  };
  let reloads = Promise.resolve();
  let isAwaited = false;
  emit({
    event: "serve-started",
    fleet: fleet.file,
    stacks: loop.state.stacks.size,
    accounts: fleet.accounts.size,
    url: http.url,
  });
  hangups.listen(() => {
    // One that has not begun yet reads what every other would.
    if (isAwaited) return;
    isAwaited = true;
    reloads = reloads.then(() => {
      isAwaited = false;
      return reload();
    });
  });
  try {
    await Promise.race([loop.run(signals), signals.over]);
  } finally {
    await Promise.race([notifier.close(notifyGraceMs), signals.over]);
    await notifier.close(0);
    await http.close();
  }
  emit({ event: "serve-ended", exit: 0 });
  return 0;
}
