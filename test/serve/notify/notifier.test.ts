import { describe, expect, it, onTestFinished } from "vitest";
import type { Fleet, FleetNotification } from "../../../src/serve/fleet/fleet.ts";
import type { Notification } from "../../../src/serve/notify/notification.ts";
import { createNotifier } from "../../../src/serve/notify/notifier.ts";
import type { SendOutcome } from "../../../src/serve/notify/send-notification.ts";
import {
  type AccountRecord,
  type StackRecord,
  type StackStatus,
  newAccountRecord,
} from "../../../src/serve/records.ts";
import type { ServeEvent } from "../../../src/serve/serve-events.ts";
import { violations } from "../../schemas/all-schemas.ts";
import { stackOf } from "../http/fake-view.ts";
import { fleetOf } from "../loop/loop-fixture.ts";
import { MemoryStore } from "../support/memory-store.ts";
import { SimulatedClock } from "../support/simulated-clock.ts";

const ok: SendOutcome = { ok: true };
const down: SendOutcome = { ok: false, message: "it answers 500", passes: true, pauseMs: null };
const wrong: SendOutcome = { ok: false, message: "it answers 404", passes: false, pauseMs: null };
const all = ["drift", "waiting", "failed", "recovered", "braked", "orphaned"] as const;

function receiver(name: string, on: FleetNotification["on"] = all): FleetNotification {
  return { url: { file: `/run/${name}` }, on };
}

/** A notifier over records, a store and receivers in memory, in virtual time. */
class Stage {
  readonly clock = new SimulatedClock();
  readonly store = new MemoryStore();
  readonly events: ServeEvent[] = [];
  readonly sent: { readonly to: string; readonly notification: Notification }[] = [];
  fleet: Fleet = fleetOf([], { notify: [receiver("a")] });
  readonly stacks = new Map<string, StackRecord>();
  readonly accounts = new Map<string, AccountRecord>();
  /** What a receiver answers. */
  answer: (to: string) => SendOutcome | Promise<SendOutcome> = () => ok;

  async start() {
    const currentFleet = (): Fleet => this.fleet;
    const notifier = await createNotifier({
      state: {
        get fleet() {
          return currentFleet();
        },
        stacks: this.stacks,
        accounts: this.accounts,
      },
      store: this.store,
      clock: this.clock,
      random: () => 0.5,
      readUrl: async (source) => ("file" in source ? source.file : ""),
      send: async (to, notification) => {
        this.sent.push({ to, notification });
        return this.answer(to);
      },
      emit: (event) => void this.events.push(event),
    });
    onTestFinished(() => notifier.close(0));
    const set = async (name: string, changes: Partial<StackStatus>): Promise<void> => {
      this.stacks.set(name, stackOf(name, changes).record);
      notifier.onEvent({ event: "account-looked", account: "main", stacks: 1, ms: 1 });
      await this.clock.sleep(1000);
    };
    return { notifier, set };
  }

  told(to = "/run/a"): readonly string[] {
    return this.sent
      .splice(0)
      .filter((each) => each.to === to)
      .map(({ notification: { account, event, stack } }) => `${stack ?? account} ${event}`);
  }
}

describe("the notifier", () => {
  it("tells each receiver what it wants to know, as the schema says", async () => {
    const stage = new Stage();
    stage.fleet = fleetOf([], { notify: [receiver("a"), receiver("b", ["recovered"]), receiver("b", ["orphaned"])] });
    const { set } = await stage.start();
    await set("prod", { state: "failed", since: 1, message: "the service said no" });
    await set("prod", { state: "synced", since: 2 });
    await set("old", { state: "orphaned", since: 3 });
    for (const { notification } of stage.sent) expect(violations("serve-notification", notification)).toEqual([]);
    const sent = [...stage.sent];
    expect(stage.told("/run/a")).toEqual(["prod failed", "prod recovered", "old orphaned"]);
    stage.sent.push(...sent);
    expect(stage.told("/run/b")).toEqual(["prod recovered", "old orphaned"]);
  });

  it("tells of the brake of an account once, not of each stack that it holds", async () => {
    const stage = new Stage();
    const { set } = await stage.start();
    const brake = { id: "b1", cause: "stacks", message: "4 of 5", since: 1, lastSeen: 1, quietMs: 1 } as const;
    stage.accounts.set("main", { ...newAccountRecord("main"), brake });
    for (const name of ["a", "b", "c"]) await set(name, { state: "waiting", reason: "brake", since: 1 });
    expect(stage.sent.map(({ notification }) => notification)).toMatchObject([
      { event: "braked", account: "main", brake: "b1" },
    ]);
    expect(violations("serve-notification", stage.sent[0]?.notification)).toEqual([]);
  });

  it("tells of drift that is put back in the same pass", async () => {
    const stage = new Stage();
    const { notifier, set } = await stage.start();
    await set("prod", {});
    const about = { stack: "prod", commit: "c", operations: 1, impact: "cosmetic", drift: 1 } as const;
    notifier.onEvent({ event: "apply-started", ...about });
    await set("prod", { lookedAt: 7 });
    expect(stage.sent.map(({ notification }) => notification)).toMatchObject([
      { event: "drift", stack: "prod", impact: "cosmetic", changes: { drift: 1 } },
    ]);
    expect(violations("serve-notification", stage.sent[0]?.notification)).toEqual([]);
    notifier.onEvent({ event: "apply-started", ...about });
    await stage.clock.sleep(1000);
    expect(stage.told()).toEqual(["prod drift", "prod drift"]);
  });

  it("tries again with growing pauses, in order, and says once that it can't", async () => {
    const stage = new Stage();
    stage.answer = () => down;
    const { set } = await stage.start();
    await set("prod", { state: "failed", since: 1 });
    await set("prod", { state: "synced", since: 2 });
    await stage.clock.sleep(3_600_000);
    const tries = stage.sent.length;
    expect(tries).toBeGreaterThan(10);
    expect(tries).toBeLessThan(30);
    expect(new Set(stage.told())).toEqual(new Set(["prod failed"]));
    stage.answer = () => ok;
    await stage.clock.sleep(600_000);
    expect(stage.told()).toEqual(["prod failed", "prod recovered"]);
    expect(stage.events).toEqual([
      { event: "notify-failed", receiver: "/run/a", message: "it answers 500" },
      { event: "notify-recovered", receiver: "/run/a" },
    ]);
  });

  it("gives up what is refused, and goes on with the next", async () => {
    const stage = new Stage();
    stage.answer = () => wrong;
    const { set } = await stage.start();
    await set("prod", { state: "failed", since: 1 });
    await stage.clock.sleep(600_000);
    expect(stage.told()).toHaveLength(5);
    stage.answer = () => ok;
    await set("prod", { state: "synced", since: 2 });
    expect(stage.told()).toEqual(["prod recovered"]);
  });

  it("tells nothing twice over a restart, and what was not told then", async () => {
    const stage = new Stage();
    const first = await stage.start();
    await first.set("told", { state: "failed", since: 1, changes: { commit: 0, drift: 1, both: 0 } });
    expect(stage.told()).toEqual(["told drift", "told failed"]);
    stage.answer = () => down;
    await first.set("untold", { state: "waiting", reason: "approval", since: 2 });
    await first.notifier.close(0);
    const [before] = stage.sent.splice(0);
    stage.answer = () => ok;
    const second = await stage.start();
    await stage.clock.sleep(1000);
    expect(stage.sent.map(({ notification }) => notification.id)).toEqual([before?.notification.id]);
    expect(stage.told()).toEqual(["untold waiting"]);
    await second.set("told", { state: "synced", since: 9 });
    expect(stage.told()).toEqual(["told recovered"]);
  });

  it("takes over the receivers of a changed fleet file", async () => {
    const stage = new Stage();
    const { notifier, set } = await stage.start();
    await set("prod", { state: "failed", since: 1 });
    stage.answer = () => down;
    await set("other", { state: "failed", since: 1 });
    stage.sent.splice(0);
    stage.answer = () => ok;
    stage.fleet = fleetOf([], { notify: [receiver("b")] });
    notifier.onEvent({ event: "fleet-loaded", fleet: "f", stacks: 2 });
    await stage.clock.sleep(600_000);
    expect(stage.sent.map(({ to }) => to)).toEqual(["/run/b", "/run/b"]);
    expect(stage.told("/run/b")).toEqual(["prod failed", "other failed"]);
  });

  it("goes on when nothing can be kept, and tells anew of a stack that came back", async () => {
    const stage = new Stage();
    const { notifier, set } = await stage.start();
    stage.store.usable = false;
    await set("prod", { state: "failed", since: 1 });
    stage.stacks.delete("prod");
    notifier.onEvent({ event: "stack-forgotten", stack: "prod" });
    await stage.clock.sleep(1000);
    await set("prod", { state: "failed", since: 1 });
    expect(stage.told()).toEqual(["prod failed", "prod failed"]);
  });
});
