import { setTimeout as pause } from "node:timers/promises";
import { approveChange } from "../../../support/fleet/approve-change.ts";
import type { FleetProcess } from "../../../support/fleet/fleet-process.ts";
import { holderChanges, watchHolders } from "../../../support/fleet/holders.ts";
import { withOwnRole } from "../../../support/fleet/own-role.ts";
import { sentAgain, toldWrongly } from "../../../support/fleet/receiver.ts";
import { ServedWorld } from "../../../support/fleet/served-world.ts";
import { type PostgresServer, createServerFiles } from "../../support/postgres-programs.ts";
import type { Dice } from "./dice.ts";
import { type Figures, count } from "./figures.ts";
import { type Battlefield, type Blow, blows, strikes } from "./fleet-blows.ts";

/** Nobody writes for 40 s after a takeover, and that can happen again; a machine that is busy needs more. */
const settleMs = 240_000;

const hour = 3_600_000;

/**
 * Several processes of the built program on one real database, with clocks that are an hour apart: killed, stopped, cut off,
 * without their server or room on its disk, while commits and edits by hand come. Nobody ever writes beside another, and in
 * the end live is what Git says, and every process shows that.
 */
export async function runFleetProcesses(dice: Dice, figures: Figures): Promise<readonly string[]> {
  figures.runs += 1;
  const server = await createServerFiles();
  try {
    return await runOn(server, dice, figures);
  } catch (error) {
    return [`the run could not go on: ${error instanceof Error ? error.stack : String(error)}`];
  } finally {
    await server.remove();
  }
}

async function runOn(server: PostgresServer, dice: Dice, figures: Figures): Promise<readonly string[]> {
  await server.start();
  const plain = `postgres://postgres:postgres@127.0.0.1:${server.port}/postgres`;
  const database = await withOwnRole(plain);
  await watchHolders(database);
  const approver = dice.chance(0.3);
  const world = await ServedWorld.open({
    database,
    accounts: ["a", "b"],
    aliases: dice.chance(0.3) ? { again: "b" } : {},
    latencyMs: dice.pick([0, 20, 150]),
    backends: dice.between(2, 8),
    notify: ["drift", "failed", "recovered", "waiting"],
    approver,
    ...(approver ? { defaults: { apply: { commit: "none", drift: "none" }, approvers: "approvers" } } : {}),
  });
  try {
    const field = { world, server, database, dice };
    return await new Battle(field, approver, figures).run();
  } finally {
    await world.close();
  }
}

class Battle {
  readonly #field: Battlefield;
  readonly #approver: boolean;
  readonly #figures: Figures;
  readonly #approved = new Set<string>();
  readonly #wrong: string[] = [];
  readonly #done: string[] = [];

  constructor(field: Battlefield, approver: boolean, figures: Figures) {
    this.#field = field;
    this.#approver = approver;
    this.#figures = figures;
  }

  async run(): Promise<readonly string[]> {
    const { dice, world } = this.#field;
    for (let number = dice.between(2, 4); number > 0; number -= 1) this.#start();
    await this.#settle("at first");
    for (let round = dice.between(1, 3); round > 0; round -= 1) {
      await this.#change();
      await this.#strike(dice.pick(blows));
      if (dice.chance(0.3)) await this.#strike(dice.pick(blows));
      while (world.living.length < 2 || dice.chance(0.2)) this.#start();
      if (dice.chance(0.5)) await this.#settle("in between");
    }
    await this.#settle("in the end");
    await this.#judge();
    return this.#wrong.map((what) => `${what} [${this.#done.join(", ")}]`);
  }

  #start(): void {
    const { dice, world } = this.#field;
    world.start({ skewMs: dice.pick([0, 0, hour, -hour]) });
  }

  /** A commit or an edit by hand, of some stacks. */
  async #change(): Promise<void> {
    const { dice, world } = this.#field;
    const status = dice.between(400, 599);
    if (!this.#approver && dice.chance(0.3)) {
      this.#note("edit by hand");
      for (const account of world.services.keys()) world.edit(account, status);
    } else {
      this.#note("push");
      await world.push(
        status,
        world.stacks.filter(() => dice.chance(0.7)),
      );
    }
  }

  /** Waits for a write, or not, and strikes who sent it. */
  async #strike(blow: Blow): Promise<void> {
    const { dice, world } = this.#field;
    // The blow before may have killed the last ones.
    if (world.living.length === 0) this.#start();
    const until = Date.now() + dice.between(100, 6000);
    let left = dice.between(1, 10);
    const seen: { writer: FleetProcess | null } = { writer: null };
    world.onWrite = ({ from }) => {
      left -= 1;
      if (left <= 0) seen.writer ??= world.processOf(from);
    };
    while (seen.writer === null && Date.now() < until) {
      await pause(5);
      if (this.#approver) await this.#approve();
    }
    world.onWrite = () => undefined;
    if (world.living.length === 0) this.#start();
    const victim = seen.writer ?? dice.pick(world.living);
    this.#note(`${blow} ${seen.writer === null ? "at some time" : "while it writes"}`);
    count(this.#figures.cuts, blow);
    this.#wrong.push(...(await strikes[blow](this.#field, victim)));
  }

  async #settle(when: string): Promise<void> {
    const { world } = this.#field;
    const until = Date.now() + settleMs;
    for (;;) {
      if (this.#approver) await this.#approve();
      const left = await world.settle(2000);
      if (left.length === 0) return;
      if (Date.now() < until) continue;
      this.#wrong.push(...left.map((what) => `${when}: ${what}`));
      return;
    }
  }

  /** Somebody approves everything that waits, once. */
  async #approve(): Promise<void> {
    const { world } = this.#field;
    const shown = await Promise.all(
      world.living.map(async (one) => (one.events("serve-started").length === 0 ? [] : one.stacks().catch(() => []))),
    );
    for (const { commit, digest, name } of shown.flat())
      if (digest !== null && commit === world.commit && !this.#approved.has(digest)) {
        this.#approved.add(digest);
        approveChange(world, name, digest);
      }
  }

  #note(what: string): void {
    this.#done.push(what);
    count(this.#figures.met, what);
  }

  async #judge(): Promise<void> {
    const { database, world } = this.#field;
    const { living, processes, receiver, writes } = world;
    this.#wrong.push(...(await world.wrongWriters()), ...world.wrongWords(), ...toldWrongly(receiver.told));
    const again = sentAgain(receiver.told);
    count(this.#figures.met, "notifications", receiver.told.length);
    if (again > 0) count(this.#figures.met, "notifications sent again, with their id", again);
    for (const stack of world.stacks)
      if (!(await isSameEverywhere(living, stack))) this.#wrong.push(`the processes show other histories of ${stack}`);
    for (const { child } of living) child.kill("SIGTERM");
    const ends = await Promise.all(processes.map(({ ended }) => ended));
    for (const [index, exit] of ends.entries()) {
      count(this.#figures.ends, exit === null ? "killed" : `exit ${exit}`);
      const ended = processes[index];
      if (exit !== null && exit !== 0 && ended !== undefined && !neverBegan(ended, exit))
        this.#wrong.push(`${ended.name} ended with ${exit}`);
    }
    const takeovers = (await holderChanges(database)).filter(({ after, before }) => before !== null && after !== null);
    count(this.#figures.met, "takeovers", takeovers.length);
    const spent = processes.flatMap((one) => one.events("approval-spent").map(({ tag }) => tag));
    if (spent.length > 0) count(this.#figures.met, "approvals spent", new Set(spent).size);
    this.#figures.writes += writes.length;
    for (const { sandbox } of world.services.values()) this.#figures.requests += sandbox.requests().total;
    this.#figures.applies += processes.flatMap((one) => one.events("apply-started")).length;
    if (this.#wrong.length > 0)
      for (const { name, said } of processes) console.error(`${name}:\n${said.slice(-20_000)}`);
  }
}

/** Whether all processes show the same history of a stack, once those whose connections were cut have new ones. */
async function isSameEverywhere(living: readonly FleetProcess[], stack: string): Promise<boolean> {
  const until = Date.now() + 30_000;
  for (;;) {
    const shown = await Promise.all(living.map((one) => one.history(stack).catch((error: unknown) => String(error))));
    const isAnswered = shown.every((one) => typeof one !== "string");
    if (isAnswered && new Set(shown.map((one) => JSON.stringify(one))).size <= 1) return true;
    if (Date.now() > until) return false;
    await pause(500);
  }
}

/** Whether a process did not begin: a signal came before that, or the database was away just then, and it said so. */
function neverBegan(process: FleetProcess, exit: number): boolean {
  if (process.events("serve-started").length > 0) return false;
  const [error] = process.log().filter(({ level }) => level === "error");
  return exit === 130 || (error?.code === "io" && (error.message ?? "").startsWith("the database "));
}
