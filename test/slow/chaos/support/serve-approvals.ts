import { createHash } from "node:crypto";
import type { Plan } from "../../../../src/plan/plan-format.ts";
import type { Approval, StackRecord } from "../../../../src/serve/records.ts";
import type { ServeDeps } from "../../../../src/serve/serve-deps.ts";
import type { SimulatedClock } from "../../../serve/support/simulated-clock.ts";
import type { Arrival } from "./serve-account.ts";
import { type Wanted, type WantedStack, cellOf } from "./serve-desired.ts";

/** An approval counts for so long after it was spent, and the write may have begun just then. */
const coversMs = 3_600_000 + 15 * 60_000;

/** A tag that somebody pushed. */
interface GivenTag extends Approval {
  readonly stack: string;
  /** What its approver was shown. */
  readonly plan: Plan;
  /** What Git said then. */
  readonly wanted: WantedStack;
  /** In elapsed milliseconds. */
  revokedAt: number;
  spentAt: number | null;
  over: boolean;
}

/** A write, in the words of {@link Wanted}. */
export interface ApprovableWrite {
  readonly stack: string;
  readonly address: string;
  readonly before: Wanted | undefined;
  readonly after: Wanted | undefined;
  readonly arrival: Arrival;
  /** Whether somebody changed the stack since that connection was made: then what is overwritten is not what was shown. */
  readonly disturbed: boolean;
}

/** The tags of people who approve what waits, and what they said yes to. */
export class ServeApprovals {
  readonly #tags: GivenTag[] = [];
  #drawn = 0;

  constructor(
    private readonly clock: SimulatedClock,
    private readonly say: (what: string) => void,
    /** When the clock was last set, in elapsed milliseconds. */
    private readonly shiftedAt: () => number,
  ) {}

  /** What the loop reads of them. */
  readonly reader: NonNullable<ServeDeps["approvals"]> = {
    draw: () => hashOf(`drawn ${(this.#drawn += 1)}`),
    listApprovals: async (_, waiting) =>
      new Map(
        waiting.flatMap(({ digest, stack }) => {
          const found = this.#present(stack, digest);
          return found.length === 0 ? [] : [[stack, found.map(({ tag }) => tag).join(" ")] as const];
        }),
      ),
    readApprovals: async (_, { digest, stack }) => ({
      approvals: this.#present(stack, digest).map(({ approver, message, tag }) => ({ approver, digest, message, tag })),
      problems: [],
    }),
  };

  /** Somebody says yes to what waits in a stack. */
  approve(stack: string, digest: string, shown: { readonly plan: Plan; readonly wanted: WantedStack }): void {
    const tag = hashOf(`tag ${this.#tags.length}`).slice(0, 40);
    const said = { tag, digest, approver: "ann@example.com", message: "yes" };
    this.#tags.push({ ...said, ...shown, stack, revokedAt: Infinity, spentAt: null, over: false });
  }

  /** All tags are deleted; what was spent goes on. */
  revoke(): void {
    for (const one of this.#tags) one.revokedAt = Math.min(one.revokedAt, this.clock.elapsed);
  }

  /** A stack's record is kept: what it says of approvals must be true, and what ended must not count again. */
  onKept({ memory, name, status }: StackRecord): void {
    const { elapsed } = this.clock;
    const looked = elapsed - (this.clock.now() - (status.lookedAt ?? 0));
    const spending = memory.approval?.spending ?? [];
    for (const { digest, tag } of spending) {
      const given = this.#tags.find((one) => one.tag === tag && one.stack === name);
      if (given?.digest !== digest) this.say(`${name} spends an approval that nobody gave`);
      if (given === undefined) continue;
      if (given.over) this.say(`${name} spends an approval a second time`);
      if (given.spentAt === null && given.revokedAt < elapsed)
        this.say(
          `${name} spends an approval that was withdrawn ${Math.round((elapsed - given.revokedAt) / 1000)} s ago`,
        );
      given.spentAt ??= elapsed;
      const isDone = status.state === "synced" && looked > given.spentAt && this.shiftedAt() < given.spentAt;
      if (isDone) this.say(`${name} is synced, and an approval still counts`);
    }
    for (const given of this.#tags)
      if (given.stack === name && given.spentAt !== null && !spending.some(({ tag }) => tag === given.tag))
        given.over = true;
  }

  /** Whether somebody said yes to a write, and that was kept before it was sent. */
  covers(write: ApprovableWrite): boolean {
    return this.#tags.some(
      (given) =>
        given.stack === write.stack &&
        given.spentAt !== null &&
        this.clock.elapsed - given.spentAt <= coversMs &&
        // What ended meanwhile may still be sent by the pass that ended it, or arrive from a process that was killed.
        (!given.over || write.arrival.late || write.arrival.opened <= given.spentAt) &&
        isPartOf(given, write),
    );
  }

  #present(stack: string, digest: string): readonly GivenTag[] {
    return this.#tags.filter((one) => one.stack === stack && one.digest === digest && one.revokedAt === Infinity);
  }
}

/** Whether a write is exactly what was shown, or a part of it. */
function isPartOf(
  { plan, wanted }: GivenTag,
  { address, after, arrival, before, disturbed }: ApprovableWrite,
): boolean {
  const target = wanted[address];
  return plan.changes.some((change) => {
    if (change.address !== address) return false;
    const id = arrival.before?.wire["id"] ?? null;
    if (after === undefined) return change.action === "delete" && change.id === id;
    if (target === undefined) return false;
    const changed = Object.keys(after).filter((cell) => after[cell] !== before?.[cell]);
    const isTarget = changed.every((cell) => after[cell] === target[cell]);
    if (before === undefined) return change.action === "create" && isTarget;
    const shown = new Map(change.fields.map(({ path, before: value }) => [cellOf(path), value]));
    const wasShown = changed.every((cell) => {
      if (!shown.has(cell)) return false;
      const value = shown.get(cell);
      const isPlain = typeof value === "string" || typeof value === "number";
      return disturbed || !isPlain || String(value) === before[cell];
    });
    return change.action === "update" && change.id === id && isTarget && wasShown;
  });
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
