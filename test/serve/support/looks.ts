import type { Address } from "../../../src/kinds/names.ts";
import type { Action, Change, Plan } from "../../../src/plan/plan-format.ts";
import { type BrakeJudgement, type BrakeLook, judgeBrake } from "../../../src/serve/decide/brake.ts";
import type { StackPolicy } from "../../../src/serve/fleet/fleet.ts";
import {
  type AccountRecord,
  type ChangeOrigin,
  type StackMemory,
  newAccountRecord,
  newStackMemory,
} from "../../../src/serve/records.ts";
import { defaultPolicy } from "../fleet/fleet-data.ts";

export const minute = 60_000;
export const noon = Date.parse("2026-05-01T12:00:00Z");

export const policy: StackPolicy = { ...defaultPolicy, apply: { commit: "security", drift: "security" } };

export interface Difference {
  readonly address: Address;
  readonly origin?: ChangeOrigin;
  readonly action?: Action;
  readonly field?: string;
  readonly before?: string;
}

export function planWith(differences: readonly Difference[]): Plan {
  const changes = differences.map(
    ({ address, action = "update", field = "spec.description", before = "by hand" }): Change => ({
      address,
      action,
      id: action === "create" ? null : `id_${address}`,
      source: null,
      fields: [{ path: field, before, after: "by commit", impact: "cosmetic", reason: null }],
      impact: "cosmetic",
      reason: null,
      origin: null,
      notes: [],
    }),
  );
  return {
    format: "edgewise.plan/v1",
    stack: "test",
    baseUrl: "http://service.example",
    toolVersion: "0",
    hash: "",
    summary: { create: 0, update: changes.length, replace: 0, delete: 0, adopt: 0, orphan: 0, unchanged: 0 },
    changes,
    operations: [],
    preconditions: [],
    refusals: [],
    warnings: [],
    rehearsal: null,
    lifted: [],
    unavailableSecrets: [],
    commit: null,
    selection: { only: null, labels: [], files: null, prune: true },
    relaxations: { allow: [], maxDeletes: null, allowEmpty: false, takeOver: false, destroy: false },
  };
}

export class JudgedAccount {
  now = noon;
  record: AccountRecord = newAccountRecord("main");
  readonly memories = new Map<string, StackMemory>();
  readonly lookedAt = new Map<string, number>();
  last: BrakeJudgement | null = null;

  constructor(
    readonly stacks: number,
    public policy: StackPolicy,
  ) {}

  pass(
    found: { readonly [stack: string]: readonly Difference[] },
    more: { readonly blind?: string; readonly noGit?: string } = {},
  ): { readonly [stack: string]: string | null } {
    const judgement = this.judge(found, more);
    this.record = judgement.account;
    for (const [stack, { memory }] of judgement.stacks) {
      this.memories.set(stack, memory);
      if (more.blind === undefined) this.lookedAt.set(stack, this.now);
    }
    return Object.fromEntries([...judgement.stacks].map(([stack, { verdict }]) => [stack, verdict.stopped]));
  }

  judge(
    found: { readonly [stack: string]: readonly Difference[] },
    { blind, noGit }: { readonly blind?: string; readonly noGit?: string } = {},
  ): BrakeJudgement {
    const looks = Object.entries(found).map(([stack, differences]): BrakeLook => ({
      stack,
      policy: this.policy,
      memory: this.memories.get(stack) ?? newStackMemory,
      previousLook: this.lookedAt.get(stack) ?? null,
      lookedAt: this.now,
      gitUnreadable: noGit ?? null,
      plan: blind === undefined ? planWith(differences) : null,
      origins: new Map(differences.map(({ address, origin = "drift" }) => [address, origin])),
      unasked: differences.map(({ address }) => address),
    }));
    this.last = judgeBrake({
      account: this.record,
      stacks: this.stacks,
      looks,
      unreadable: blind ?? null,
      now: this.now,
    });
    return this.last;
  }

  alone(stack: string): readonly string[] {
    return [...(this.last?.stacks.get(stack)?.verdict.resources.keys() ?? [])];
  }

  release(id: string): void {
    this.policy = { ...this.policy, brake: { ...this.policy.brake, release: [id] } };
  }
}
