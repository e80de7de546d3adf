import { createHash } from "node:crypto";
import type { Plan } from "../../../../src/plan/plan-format.ts";
import type { Approval, StackRecord } from "../../../../src/serve/records.ts";
import type { ServeDeps } from "../../../../src/serve/serve-deps.ts";
import type { SimulatedClock } from "../../../serve/support/simulated-clock.ts";
import type { Arrival } from "./serve-account.ts";
import { type Wanted, type WantedStack, cellOf } from "./serve-desired.ts";

/** An approval counts for so long after it was spent, and the write may have begun just then. */
const coversMs = 3_600_000 + 15 * 60_000;

interface GivenTag extends Approval {
  readonly stack: string;
  readonly plan: Plan;
  readonly wanted: WantedStack;
  /** In elapsed milliseconds. */
  revokedAt: number;
  spentAt: number | null;
  isOver: boolean;
}

export interface ApprovableWrite {
  readonly stack: string;
  readonly address: string;
  readonly before: Wanted | undefined;
  readonly after: Wanted | undefined;
  readonly arrival: Arrival;
}

export class ServeApprovals {
  readonly #tags: GivenTag[] = [];
  #drawn = 0;

  constructor(
    private readonly clock: SimulatedClock,
    private readonly say: (what: string) => void,
  ) {}

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

  approve(stack: string, digest: string, shown: { readonly plan: Plan; readonly wanted: WantedStack }): void {
    const tag = hashOf(`tag ${this.#tags.length}`).slice(0, 40);
    const said = { tag, digest, approver: "ann@example.com", message: "yes" };
    this.#tags.push({ ...said, ...shown, stack, revokedAt: Infinity, spentAt: null, isOver: false });
  }

  revoke(): void {
    for (const one of this.#tags) one.revokedAt = Math.min(one.revokedAt, this.clock.elapsed);
  }

  onKept({ memory, name }: StackRecord): void {
    const { elapsed } = this.clock;
    const spending = memory.approval?.spending ?? [];
    for (const { digest, tag } of spending) {
      const given = this.#tags.find((one) => one.tag === tag && one.stack === name);
      if (given?.digest !== digest) this.say(`${name} spends an approval that nobody gave`);
      if (given === undefined) continue;
      if (given.isOver) this.say(`${name} spends an approval a second time`);
      if (given.spentAt === null && given.revokedAt < elapsed) this.say(`${name} spends a withdrawn approval`);
      given.spentAt ??= elapsed;
    }
    for (const given of this.#tags)
      if (given.stack === name && given.spentAt !== null && !spending.some(({ tag }) => tag === given.tag))
        given.isOver = true;
  }

  /** Whether somebody said yes to a write, and that was kept before it was sent. */
  covers(write: ApprovableWrite): boolean {
    return this.#tags.some(
      (given) =>
        given.stack === write.stack &&
        given.spentAt !== null &&
        this.clock.elapsed - given.spentAt <= coversMs &&
        isPartOf(given, write),
    );
  }

  #present(stack: string, digest: string): readonly GivenTag[] {
    return this.#tags.filter((one) => one.stack === stack && one.digest === digest && one.revokedAt === Infinity);
  }
}

function isPartOf({ plan, wanted }: GivenTag, { address, after, arrival, before }: ApprovableWrite): boolean {
  const change = plan.changes.find((one) => one.address === address);
  const isSame = change?.id === (arrival.before?.wire["id"] ?? null);
  if (change === undefined) return false;
  if (after === undefined) return change.action === "delete" && isSame;
  const changed = Object.keys(after).filter((cell) => after[cell] !== before?.[cell]);
  if (!changed.every((cell) => after[cell] === wanted[address]?.[cell])) return false;
  if (before === undefined) return change.action === "create";
  const shown = new Set(change.fields.map(({ path }) => cellOf(path)));
  return change.action === "update" && isSame && changed.every((cell) => shown.has(cell));
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
