import { createHash } from "node:crypto";
import type { FleetNotification } from "../fleet/fleet.js";
import type { ToldRecord } from "../records.js";
import type { Notice, Told } from "./notices.js";
import type { ReceiverQueue } from "./receiver-queue.js";

/** Who is told, and of what he was told or is about to be. */
export interface Receiver {
  readonly key: string;
  readonly on: ReadonlySet<Notice["event"]>;
  readonly queue: ReceiverQueue;
  readonly told: Map<string, Told>;
  /** What still waits for it is dropped. */
  readonly end: () => void;
}

/** Takes over the receivers of the fleet file. Whether there are new ones. */
export function syncReceivers(
  receivers: Map<string, Receiver>,
  wanted: readonly FleetNotification[],
  open: (key: string, wanted: FleetNotification) => Receiver,
): boolean {
  const byKey = new Map<string, FleetNotification>();
  for (const { on, url } of wanted) {
    const key = createHash("sha256").update(JSON.stringify(url)).digest("hex").slice(0, 16);
    byKey.set(key, { url, on: [...(byKey.get(key)?.on ?? []), ...on] });
  }
  for (const [key, { end }] of receivers) {
    if (byKey.has(key)) continue;
    end();
    receivers.delete(key);
  }
  let isNew = false;
  for (const [key, each] of byKey) {
    const known = receivers.get(key);
    isNew ||= known === undefined;
    receivers.set(key, known === undefined ? open(key, each) : { ...known, on: new Set(each.on) });
  }
  return isNew;
}

/** What a receiver was told, by subject. */
export function toldBefore(kept: ReadonlyMap<string, ToldRecord>, receiver: string): Map<string, Told> {
  const told = new Map<string, Told>();
  for (const [name, record] of kept) {
    const known = record.told[receiver];
    if (known !== undefined) told.set(name, known);
  }
  return told;
}
