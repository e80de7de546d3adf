import { setMaxListeners } from "node:events";
import { Option } from "commander";
import type { Clock } from "../api/client.js";
import { systemClock } from "../api/system-clock.js";
import { renderServeText } from "../report/serve-text.js";
import { checkFleet } from "../serve/check-fleet.js";
import { loadFleet } from "../serve/fleet/load-fleet.js";
import { type ShownStack, createLoopView, showStacks, stacksOf } from "../serve/http/shown-stack.js";
import { createServeLoop, onceExit, serveOnce } from "../serve/serve-loop.js";
import { loadServeState } from "../serve/serve-state.js";
import { count } from "../core/text.js";
import { guardRunner, safeJsonLine, visibleLine } from "../core/visible.js";
import { palette } from "../report/styles.js";
import { type EventLevel, type ServeEvent, describeEvent } from "../serve/serve-events.js";
import type { CommandIo, Io } from "./support/command-io.js";
import { type DefineCommand, type Flags, waitTime } from "./support/command-options.js";
import { checkOutput, textStyle, writeData } from "./support/output.js";
import { type ServeParts, fleetSecrets, messageOf, openServeParts, readFleetStatus } from "./support/serve-parts.js";

/** After a restart the rest is sent. */
const notifyGraceMs = 2_000;
const notifyOnceMs = 10_000;

/** Setting it moves no waiting. */
const wallClock: Clock = { ...systemClock, now: () => Date.now() };

export const define: DefineCommand = (command, run) =>
  command
    .argument("<fleetfile>", "a YAML file that lists what to serve")
    .description(
      "Looks at what is live, applies what the fleet file allows, and says what waits, until SIGINT or SIGTERM; SIGHUP reads the fleet file again. Several share the work by one --database. Of EDGEWISE_* it uses only EDGEWISE_DATABASE.",
    )
    .option("--state <dir>", "where the state is kept (default: .edgewise-state)")
    .option("--database <url>", "keep the state in this PostgreSQL, over EDGEWISE_DATABASE: postgres://USER@HOST/NAME")
    .option("--listen <host:port>", "where to serve HTTP, over the fleet file's")
    .addOption(
      new Option("--check", "check the fleet file, sources, accounts and stacks, and write nothing").conflicts("once"),
    )
    .option("--once", "make one pass; exit 0: synced, 2: something waits, 3: failed (1 with --dry-run), 4: refused")
    .addOption(
      new Option("--status", "print how the stacks are, by the database").conflicts(["check", "once", "dryRun"]),
    )
    .option("--dry-run", "decide and say, but write nothing to the service")
    .option("--grace <duration>", "how long a stop may take, like 30s (default: 30s)", waitTime)
    .shared(["text", "json"])
    .examples([
      ["edgewise serve fleet.yaml --check", "before the first start"],
      ["edgewise serve fleet.yaml --log-format json", "as a service"],
      ["edgewise serve fleet.yaml --once --dry-run -o json", "what it would do, for a script"],
      ["edgewise serve fleet.yaml --database postgres://edgewise@db/edgewise", "one of several, on one database"],
    ])
    .action(run(serve));

async function serve(io: CommandIo, file: string, flags: Flags) {
  const hangups: Hangups = { pending: false, wake: () => {} };
  const end = io.onHangup(() => {
    hangups.pending = true;
    hangups.wake();
  });
  try {
    await checkOutput(io);
    return flags.status ? await status(io, file, flags) : await run(io, file, flags, hangups);
  } finally {
    end();
  }
}

type Hangups = { pending: boolean; wake: () => void };

async function run(io: CommandIo, file: string, flags: Flags, hangups: Hangups) {
  const parts = await openServeParts({ file, flags, io, log: createServeLog(io), clock: wallClock });
  const signals = takeServeSignals(io, flags.grace ?? 30_000, parts.deps.emit);
  try {
    if (flags.check) return await check(parts, signals, io);
    return await (flags.once ? once(parts, signals, io) : keepServing(parts, signals, hangups));
  } finally {
    // A signal meanwhile must not leave the lock behind.
    await Promise.race([parts.close(), signals.over]);
    signals.end();
  }
}

async function check({ fleet, deps, checkStack }: ServeParts, { stop }: ServeSignals, io: CommandIo) {
  const { accounts, findings, sources, stacks } = await checkFleet(fleet, { ...deps, checkStack }, stop);
  if (stop.aborted) return 130;
  const ok = findings.length === 0;
  const problems = findings.map(({ subject, name, place, message }) => ({ subject, name, ...place, message }));
  if (io.format !== "json")
    for (const { message, ...about } of problems) {
      const { column, file, line, name, subject } = about;
      io.log.error(`${file}:${line}:${column}: ${subject} ${name}: ${message}`, null, about);
    }
  const counts = `${count(sources, "source")}, ${count(accounts, "account")} and ${count(stacks, "stack")}`;
  const text = `${counts} checked: ${ok ? "all is well" : count(problems.length, "problem")}`;
  await writeData({ format: "edgewise.serve-check/v1", ok, sources, accounts, stacks, problems }, () => text, io);
  return ok ? 0 : 1;
}

async function once({ deps, fleet, notify, shownStacks }: ServeParts, signals: ServeSignals, io: CommandIo) {
  const state = await loadServeState(fleet, deps);
  const notifier = notify();
  await Promise.race([serveOnce(state, signals), signals.over]);
  await notifier.close(signals.stop.aborted ? 0 : notifyOnceMs);
  if (signals.stop.aborted) return 130;
  await writeStacks(shownStacks(stacksOf(state)), io, false);
  return onceExit(state);
}

async function status(io: CommandIo, file: string, flags: Flags) {
  const fleet = await loadFleet({ file, cwd: io.cwd, ...fleetSecrets(io) });
  const { now, stacks, warnings } = await readFleetStatus(fleet, flags, io);
  for (const warning of warnings) io.log.warning(warning);
  await writeStacks(showStacks(stacks, now), io, true);
  return 0;
}

async function writeStacks(stacks: readonly ShownStack[], io: CommandIo, ages: boolean) {
  const data = { format: "edgewise.stacks/v1", stacks, next: null };
  await writeData(data, () => renderServeText(stacks, { ...textStyle(io), ages }), io);
}

async function keepServing(parts: ServeParts, signals: ServeSignals, hangups: Hangups) {
  const { fleet, deps, troubles } = parts;
  const { emit } = deps;
  const loop = await createServeLoop(fleet, deps);
  const http = await parts.listen(createLoopView(loop, troubles));
  const notifier = parts.notify();
  const reload = async () => {
    // One reading answers all signals before it.
    if (!hangups.pending) return;
    hangups.pending = false;
    try {
      await loop.changeFleet(await parts.reload());
    } catch (error) {
      emit({ event: "fleet-refused", fleet: fleet.file, message: messageOf(error) });
    }
  };
  const { accounts, file } = fleet;
  emit({ event: "serve-started", fleet: file, stacks: loop.state.stacks.size, accounts: accounts.size, url: http.url });
  let reloads = Promise.resolve();
  hangups.wake = () => void (reloads = reloads.then(reload));
  hangups.wake();
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

type ServeSignals = ReturnType<typeof takeServeSignals>;

/** The first signal begins nothing new; a second one, or the end of the grace, cuts off. */
function takeServeSignals(io: Io, graceMs: number, emit: (event: ServeEvent) => void) {
  const stop = new AbortController();
  const hardStop = new AbortController();
  setMaxListeners(0, stop.signal, hardStop.signal);
  const ended = new AbortController();
  const over = new Promise<void>((resolve) => {
    stop.signal.addEventListener("abort", () => {
      // For closing, and for saving what is known.
      const reserve = Math.min(5_000, graceMs / 3);
      void wallClock
        .sleep(graceMs - reserve, ended.signal)
        .then(() => hardStop.abort())
        .then(() => wallClock.sleep(reserve, ended.signal))
        .then(resolve);
    });
  });
  const forget = io.onSignal((signal) => {
    if (stop.signal.aborted) return hardStop.abort(signal);
    emit({ event: "stopping", signal });
    stop.abort(signal);
  });
  const end = () => {
    forget();
    ended.abort();
  };
  return { stop: stop.signal, hardStop: hardStop.signal, over, end };
}

const ranks: { readonly [level in EventLevel]: number } = { debug: 0, info: 1, warning: 2, error: 3 };

/** Looks and fetches only with `--verbose`; only errors with `--quiet`. */
export function createServeLog({ log, now, stderr, stderrColor, verbose }: CommandIo): (event: ServeEvent) => void {
  const least = log.quiet ? ranks.error : verbose ? ranks.debug : ranks.info;
  const paint = palette(stderrColor);
  const words = { debug: "", info: "", warning: `${paint.change("warning:")} `, error: `${paint.alarm("error:")} ` };
  return (event) => {
    const described = describeEvent(event);
    if (described === null || ranks[described.level] < least) return;
    const { level, message } = described;
    const time = new Date(now()).toISOString();
    if (log.format === "json") return stderr(safeJsonLine({ time, level, ...event, message }));
    const short = paint.dim(time.replace(/\.\d+Z$/u, "Z"));
    stderr(`${short} ${words[level]}${guardRunner(visibleLine(message))}\n`);
  };
}
