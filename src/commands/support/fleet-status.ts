import { readDatabase } from "../../serve/store/postgres/postgres-store.js";
import type { Clock } from "../../api/client.js";
import { EdgewiseError } from "../../core/errors.js";
import type { Fleet } from "../../serve/fleet/fleet.js";
import type { StackView } from "../../serve/http/serve-view.js";
import { recordViews } from "../../serve/loop-view.js";
import { newStackRecord } from "../../serve/records.js";
import { recordKey } from "../../serve/store/state-formats.js";
import type { StoredState } from "../../serve/store/store.js";
import type { ServeFlags } from "../serve.js";
import { databaseUrl } from "./fleet-store.js";
import type { GuardedIo } from "./io.js";

/** How the stacks of a fleet are, as its processes keep it in their database. */
export interface FleetStatus {
  readonly stacks: readonly StackView[];
  /** What in the database can't be read, in sentences. */
  readonly warnings: readonly string[];
  /** The time of the database. */
  readonly clock: Pick<Clock, "now">;
}

/**
 * Reads how the stacks are, and changes nothing.
 * @throws EdgewiseError `usage` without a database; `config` and `io` when it can't be read
 */
export async function readFleetStatus(fleet: Fleet, flags: ServeFlags, io: GuardedIo): Promise<FleetStatus> {
  const url = databaseUrl(flags, io);
  if (url === null)
    throw new EdgewiseError("usage", "--status reads a database, and there is none", {
      remedy: "Name it with --database or EDGEWISE_DATABASE. Without one, ask the running serve: /api/stacks.",
    });
  const { now, state } = await readDatabase({ url, place: { cwd: io.cwd, env: io.env }, redactor: io.redactor });
  return { stacks: stacksIn(fleet, state, now), warnings: [...state.damaged.values()], clock: { now: () => now } };
}

/** Every stack that was looked at, and every one that the fleet file names itself. */
function stacksIn(fleet: Fleet, { damaged, stacks }: StoredState, now: number): readonly StackView[] {
  const others = fleet.entries.flatMap((entry) => {
    const { config, name, policy, secrets, stack } = entry;
    if ("pattern" in config || stacks.has(name)) return [];
    const target = { name, entry, config: config.path, stack, secrets };
    const record = newStackRecord(target, now);
    const message = damaged.get(recordKey("stack", name));
    const status = message === undefined ? record.status : { ...record.status, state: "failed" as const, message };
    return [{ record: { ...record, status }, intervalMs: policy.intervalMs }];
  });
  return [...Array.from(stacks.values(), recordViews(fleet)), ...others];
}
