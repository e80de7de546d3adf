import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/api/api-error.ts";
import type { ApiRequest, Client, Clock } from "../../src/api/client.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { HeldLock, type LockDeps, lockTime } from "../../src/lock/account-lock.ts";

class VirtualTime implements Clock {
  readonly #sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  #now = 1_800_000_000_000;

  now = (): number => this.#now;

  sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      this.#sleepers.push({ at: this.#now + ms, wake });
      signal?.addEventListener("abort", wake, { once: true });
    });
  };

  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
      const [next] = this.#sleepers.toSorted((a, b) => a.at - b.at);
      if (next === undefined || next.at > end) break;
      this.#sleepers.splice(this.#sleepers.indexOf(next), 1);
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
    this.#now = end;
  }
}

type Fate = "done" | "lost after" | "lost before";

class Account {
  readonly time = new VirtualTime();
  readonly log: string[] = [];
  readonly leftovers: string[] = [];
  readonly stop = new AbortController();
  objects: JsonObject[] = [];
  fate: (request: ApiRequest) => Fate = () => "done";

  readonly client: Client = {
    baseUrl: "https://api.example.com",
    get: async () => ({ status: 200, body: null }),
    list: async () => {
      this.log.push("list");
      return this.objects;
    },
    send: async (request) => {
      const { body, method, path } = request;
      this.log.push(method);
      const fate = this.fate(request);
      const id = path.split("/")[3] ?? `bkdhr_${this.log.length}`;
      const isThere = this.objects.some((one) => one["id"] === id);
      if (method !== "POST" && !isThere) throw failure(request, 404, "answered");
      if (fate === "lost before") throw failure(request, null, "unknown");
      const made = { ...(body as JsonObject), id, created_at: new Date(this.time.now()).toISOString() };
      this.objects = this.objects.filter((one) => one["id"] !== id);
      if (method !== "DELETE") this.objects.push(made);
      if (fate === "lost after") throw failure(request, null, "unknown");
      return { status: 200, body: made };
    },
    close: async () => undefined,
  };

  acquire(more: Partial<LockDeps> = {}) {
    return HeldLock.acquire(
      { stack: "demo", run: "mine", by: "ann" },
      {
        client: this.client,
        clock: this.time,
        time: lockTime(this.time.now, this.time.now),
        random: () => 0,
        settleMs: 2000,
        timeoutMs: 600_000,
        signal: this.stop.signal,
        onWait: () => undefined,
        onLeftover: (until) => this.leftovers.push(until),
        ...more,
      },
    );
  }
}

function failure({ method, path }: ApiRequest, status: number | null, outcome: "answered" | "unknown"): ApiError {
  return new ApiError({ method, path, status, outcome, what: "failed", remedy: null, attempts: 1 });
}

async function held(account: Account) {
  const acquiring = account.acquire();
  await account.time.pass(10_000);
  const acquired = await acquiring;
  if (acquired.type !== "held") throw new Error(acquired.type);
  return acquired.lock;
}

const minute = 60_000;

describe("taking the account's lock", () => {
  it("lists, creates, waits until lists have settled, lists twice, and removes it when it is released", async () => {
    const account = new Account();
    const lock = await held(account);
    expect(account.log).toEqual(["list", "POST", "list", "list"]);
    await lock.release();
    expect(account.log).toEqual(["list", "POST", "list", "list", "DELETE"]);
    expect(account.objects).toEqual([]);
    expect(account.leftovers).toEqual([]);
  });

  it("gives up when a create was not shown, and says that it may appear", async () => {
    const account = new Account();
    account.fate = ({ method }) => (method === "POST" ? "lost before" : "done");
    const acquiring = account.acquire().catch((error: unknown) => error);
    await account.time.pass(60_000);
    expect(await acquiring).toMatchObject({ message: expect.stringContaining("could not be created") });
    expect(account.log.filter((method) => method === "POST")).toHaveLength(1);
    expect(account.leftovers).toHaveLength(1);
  });

  it("says until when a lock that could not be removed keeps others out", async () => {
    const account = new Account();
    const lock = await held(account);
    account.fate = () => "lost before";
    await lock.release();
    expect(account.leftovers).toEqual([expect.stringMatching(/^\d{4}-.*Z$/u)]);
  });
});

describe("holding the account's lock", () => {
  it("renews it every third of its time, so that it never ends", async () => {
    const account = new Account();
    const lock = await held(account);
    await account.time.pass(60 * minute);
    expect(account.log.filter((method) => method === "PATCH").length).toBeGreaterThanOrEqual(17);
    expect(lock.signal.aborted).toBe(false);
    const until = JSON.parse(String(account.objects[0]?.["metadata"])).edgewise.until;
    expect(Date.parse(until) - account.time.now()).toBeGreaterThan(6 * minute);
    await lock.release();
  });

  it("sends nothing more once renewals were not answered for half of its time, and still removes it", async () => {
    const account = new Account();
    const lock = await held(account);
    const client = lock.guard(account.client);
    account.fate = ({ method }) => (method === "PATCH" ? "lost before" : "done");
    await account.time.pass(4 * minute);
    expect(lock.signal.aborted).toBe(false);
    await client.send({ method: "POST", path: "/edges/tls", body: {} });
    await account.time.pass(minute);
    expect(lock.signal.reason).toMatchObject({ code: "locked" });
    const before = account.log.length;
    await expect(client.send({ method: "POST", path: "/edges/tls", body: {} })).rejects.toMatchObject({
      outcome: "not-sent",
    });
    expect(account.log).toHaveLength(before);
    await lock.release();
    expect(account.log.at(-1)).toBe("DELETE");
  });

  it("sends nothing more once somebody has removed it", async () => {
    const account = new Account();
    const lock = await held(account);
    account.objects = [];
    await account.time.pass(4 * minute);
    expect(lock.signal.reason).toMatchObject({ message: expect.stringContaining("somebody removed") });
    await lock.release();
    expect(account.leftovers).toEqual([]);
  });

  it("learns from the clocks that it was stopped for long, before any timer runs", async () => {
    const account = new Account();
    let slept = 0;
    const time = lockTime(account.time.now, () => account.time.now() + slept);
    const acquiring = account.acquire({ time });
    await account.time.pass(10_000);
    const acquired = await acquiring;
    if (acquired.type !== "held") throw new Error(acquired.type);
    slept = 6 * minute;
    const sending = acquired.lock.guard(account.client).send({ method: "DELETE", path: "/edges/tls/x" });
    await expect(sending).rejects.toMatchObject({ outcome: "not-sent" });
    await acquired.lock.release();
  });
});

it("the time of the service is that of its responses", () => {
  let now = 1_000_000;
  const time = lockTime(
    () => now,
    () => now,
  );
  expect(time.serviceNow()).toBe(1_000_000);
  time.learn(5_000_000);
  now += 1000;
  expect(time.serviceNow()).toBe(5_001_500);
  // A request that was sent before the service told its time.
  expect(time.serviceAt(0)).toBe(5_000_500);
});
