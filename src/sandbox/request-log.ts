import type { RequestRecord, RequestsSeen } from "./sandbox.js";

const keptRequests = 10_000;

/** Counts requests and remembers the newest. */
export class RequestLog {
  #log: RequestRecord[] = [];
  #total = 0;
  readonly #byStatus = new Map<string, number>();

  add(record: RequestRecord): void {
    this.#total += 1;
    const key = record.status === null ? "reset" : String(record.status);
    this.#byStatus.set(key, (this.#byStatus.get(key) ?? 0) + 1);
    this.#log.push(record);
    if (this.#log.length >= 2 * keptRequests) this.#log = this.#log.slice(-keptRequests);
  }

  seen(faults: RequestsSeen["faults"]): RequestsSeen {
    return {
      total: this.#total,
      byStatus: Object.fromEntries(this.#byStatus),
      faults,
      log: this.#log.slice(-keptRequests),
    };
  }
}
