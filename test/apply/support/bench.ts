import type { ApplyDeps, ApplyEvent } from "../../../src/apply/run-context.ts";
import { applyPlan } from "../../../src/apply/apply-plan.ts";
import type { ApplyReport, OperationResult } from "../../../src/apply/result.ts";
import type { Operation, Plan } from "../../../src/plan/plan-format.ts";
import { Secret } from "../../../src/core/secret.ts";
import { FakeService } from "./fake-service.ts";
import { planOf } from "./operations.ts";
import { SimulatedClock } from "../../serve/support/simulated-clock.ts";

export class Bench {
  readonly clock = new SimulatedClock();
  readonly soft = new AbortController();
  readonly hard = new AbortController();
  readonly service = new FakeService(this.clock, this.hard.signal);
  readonly events: ApplyEvent[] = [];
  deps: ApplyDeps = {
    client: this.service,
    concurrency: 4,
    resolveSecret: (reference) => Secret.unavailable(reference, "no secret was expected"),
    signal: this.soft.signal,
    hardSignal: this.hard.signal,
    onEvent: (event) => {
      this.events.push(event);
    },
    clock: this.clock,
    random: () => 0.5,
  };

  apply(plan: Plan | readonly Operation[]): Promise<ApplyReport> {
    return applyPlan("format" in plan ? plan : planOf(plan), this.deps);
  }
}

export function statuses(report: ApplyReport): { readonly [operation: string]: string } {
  return Object.fromEntries(report.operations.map(({ id, status }) => [id, status]));
}

export function resultFor(report: ApplyReport, id: string): OperationResult {
  const found = report.operations.find((result) => result.id === id);
  if (found === undefined) throw new Error(`no result for ${id}`);
  return found;
}
