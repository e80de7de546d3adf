import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../api/client.js";
import { EdgewiseError } from "../../core/errors.js";
import { type Fleet, isPattern, targetOf } from "../../serve/fleet/fleet.js";
import type { StackView } from "../../serve/http/serve-view.js";
import { recordViews } from "../../serve/loop-view.js";
import { newStackRecord } from "../../serve/records.js";
import { openDirectoryStore } from "../../serve/store/directory-store.js";
import { mayBeRead, parseDatabaseUrl } from "../../serve/store/postgres/database-address.js";
import { checkDatabase, openPostgresStore, readDatabase } from "../../serve/store/postgres/postgres-store.js";
import { recordKey } from "../../serve/store/state-formats.js";
import { holdState } from "../../serve/store/state-directory.js";
import type { ServeStore } from "../../serve/store/store.js";
import type { GuardedIo } from "./command-io.js";
import type { CommonFlags } from "./command-options.js";

export interface ServeFlags extends CommonFlags {
  readonly state?: string;
  /** `postgres://…`, over EDGEWISE_DATABASE; it may hold a password. */
  readonly database?: string;
  readonly listen?: string;
  readonly check?: boolean;
  readonly once?: boolean;
  readonly status?: boolean;
  readonly dryRun?: boolean;
  /** Milliseconds. */
  readonly grace?: number;
}

export interface FleetStore {
  readonly store: ServeStore;
  /** The time that counts: of this machine, or of the database that several share. */
  readonly clock: Clock;
  /** For what this process alone needs, such as clones. Absolute. */
  readonly directory: string;
  /** Whether what is sent to it can be read on the way. */
  readonly mayBeRead?: boolean;
  readonly close: () => Promise<void>;
}

const defaultState = ".edgewise-state";

/**
 * Opens the store that the flags ask for: the state directory, or with `--database` (or EDGEWISE_DATABASE) that database. A
 * check has a directory of its own, which is removed.
 * @param wall the time on the wall
 */
export async function openFleetStore(flags: ServeFlags, io: GuardedIo, wall: Clock): Promise<FleetStore> {
  const url = databaseUrl(flags, io);
  if (url === null) return openDirectory(flags, io, wall);
  const options = { url, place: { cwd: io.cwd, env: io.env }, redactor: io.redactor };
  const isReadable = mayBeRead(parseDatabaseUrl(url));
  if (flags.check === true) {
    await checkDatabase(options);
    return { ...(await openDirectory(flags, io, wall)), mayBeRead: isReadable };
  }
  const own = await openOwnDirectory(flags, io);
  try {
    const store = await openPostgresStore(options);
    const close = async (): Promise<void> => {
      await store.close();
      await own.close();
    };
    return { store, clock: store.clock, directory: own.directory, mayBeRead: isReadable, close };
  } catch (error) {
    await own.close();
    throw error;
  }
}

/** The database's address; null = there is none. It may hold a password. */
function databaseUrl({ database }: ServeFlags, { env }: GuardedIo): string | null {
  if (database !== undefined) return database;
  const fromEnv = env["EDGEWISE_DATABASE"];
  if (fromEnv !== "") return fromEnv ?? null;
  throw new EdgewiseError("config", "EDGEWISE_DATABASE is set but empty", {
    remedy: "Set it to postgres://USER@HOST/DATABASE, or unset it to keep the state in a directory.",
  });
}

async function openDirectory(flags: ServeFlags, io: GuardedIo, clock: Clock): Promise<FleetStore> {
  const temporary = flags.check === true ? await mkdtemp(join(tmpdir(), "edgewise-check-")) : null;
  const store = await openDirectoryStore(temporary ?? flags.state ?? defaultState, io);
  const close = async (): Promise<void> => {
    await store.close();
    if (temporary !== null) await rm(temporary, { recursive: true, force: true });
  };
  return { store, clock, directory: store.directory, close };
}

/**
 * What a process of several keeps for itself can be made anew: it stands in `--state`, where it is found again after a
 * restart, or else in a temporary directory.
 */
async function openOwnDirectory(
  { state }: ServeFlags,
  io: GuardedIo,
): Promise<Pick<FleetStore, "directory" | "close">> {
  if (state === undefined) {
    const directory = await mkdtemp(join(tmpdir(), "edgewise-serve-"));
    return { directory, close: () => rm(directory, { recursive: true, force: true }) };
  }
  const { lock, path } = await holdState(state, io);
  return { directory: path, close: () => lock.release() };
}

/**
 * How the stacks of a fleet are, as its processes keep it in their database; changes nothing.
 * @returns `now`: the time of the database; `warnings`: what in it can't be read
 */
export async function readFleetStatus(
  fleet: Fleet,
  flags: ServeFlags,
  io: GuardedIo,
): Promise<{ readonly stacks: readonly StackView[]; readonly warnings: readonly string[]; readonly now: number }> {
  const url = databaseUrl(flags, io);
  if (url === null)
    throw new EdgewiseError("usage", "--status reads a database, and there is none", {
      remedy: "Name it with --database or EDGEWISE_DATABASE. Without one, ask the running serve: /api/stacks.",
    });
  const { now, state } = await readDatabase({ url, place: { cwd: io.cwd, env: io.env }, redactor: io.redactor });
  const { damaged, stacks } = state;
  // Every stack that was looked at, and every one that the fleet file names itself.
  const others = fleet.entries.flatMap((entry): readonly StackView[] => {
    const { name, policy } = entry;
    if (isPattern(entry) || stacks.has(name)) return [];
    const record = newStackRecord(targetOf(entry), now);
    const message = damaged.get(recordKey("stack", name));
    const status = message === undefined ? record.status : { ...record.status, state: "failed" as const, message };
    return [{ record: { ...record, status }, intervalMs: policy.intervalMs }];
  });
  const views = [...Array.from(stacks.values(), recordViews(fleet)), ...others];
  return { stacks: views, warnings: [...damaged.values()], now };
}
