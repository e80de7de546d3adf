import type { Client, ClientOptions, Clock } from "../../../../src/api/client.ts";
import { applyPlan } from "../../../../src/apply/apply-plan.ts";
import type { ApplyEvent } from "../../../../src/apply/events.ts";
import { createFindByMarker } from "../../../../src/apply/find-by-marker.ts";
import { configDefaults } from "../../../../src/generated/config-defaults.ts";
import { secretResolver } from "../../../../src/apply/preflight.ts";
import { type Result, exitCodeOf, makeResult } from "../../../../src/apply/result.ts";
import { verify } from "../../../../src/apply/verify.ts";
import { EdgewiseError } from "../../../../src/core/errors.ts";
import { readLiveFor } from "../../../../src/live/read-live.ts";
import type { Manifest } from "../../../../src/manifest/manifest.ts";
import { plan as makePlan } from "../../../../src/plan/make-plan.ts";
import type { PlanOptions } from "../../../../src/plan/options.ts";
import type { Plan } from "../../../../src/plan/plan-format.ts";
import { renderResultText } from "../../../../src/report/result-text.ts";
import { Secret } from "../../../../src/core/secret.ts";
import type { Dice } from "./dice.ts";
import type { Mischief } from "./mischief.ts";

/** One process that applies. */
export interface Caller {
  readonly name: string;
  readonly mischief: Mischief;
  readonly dice: Dice;
  /** After it is killed, none of its requests reach the service and it receives no responses. */
  dead: boolean;
  /** Resolves when it has ended, for whatever reason. */
  ended: boolean;
}

/** A service to apply to, and its time. */
export interface Target {
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
  readonly connect: (options: ClientOptions, caller: Caller) => Client;
}

/** When and how a run is cut short, in milliseconds of the service's time from its start. */
export interface Cut {
  readonly how: "signal" | "two signals" | "kill";
  readonly afterMs: number;
  /** Processes: after so many writes instead. */
  readonly afterWrites?: number;
}

/** One apply, from planning to the exit code, with everything that it showed. */
export interface Applied {
  readonly caller: string;
  readonly plan: Plan | null;
  readonly result: Result | null;
  /** Null if it was killed. */
  readonly exit: number | null;
  readonly events: readonly ApplyEvent[];
  /** Everything that it wrote to a terminal, a file or a trace. */
  readonly shown: string;
  /** Messages of the error that ended it. */
  readonly error: string | null;
}

export interface Job {
  readonly desired: readonly Manifest[];
  readonly options: PlanOptions;
  readonly caller: Caller;
  readonly cut: Cut | null;
  readonly concurrency: number;
  readonly failFast: boolean;
  /** The number of events after which journal writes fail; null = never. */
  readonly journalEnds: number | null;
}

/** Plans, applies and verifies like the command. */
export async function chaoticApply(service: Target, job: Job): Promise<Applied> {
  const { caller, cut } = job;
  const shown: string[] = [];
  const events: ApplyEvent[] = [];
  const soft = new AbortController();
  const hard = new AbortController();
  const state = { writing: false };
  let plan: Plan | null = null;
  const killed = new Promise<null>((resolve) => {
    if (cut !== null)
      void service.clock.sleep(cut.afterMs).then(async () => {
        if (cut.how === "kill") {
          caller.dead = true;
          resolve(null);
          return;
        }
        soft.abort();
        if (!state.writing) hard.abort();
        if (cut.how === "signal") return;
        await service.clock.sleep(caller.dice.between(0, 200));
        hard.abort();
      });
  });
  const run = async (): Promise<Result> => {
    const { clock } = service;
    const client = service.connect(
      {
        baseUrl: service.baseUrl,
        apiKey: Secret.of(service.apiKey, "env"),
        versionHeader: "Service-Version",
        concurrency: job.concurrency,
        timeoutMs: service.timeoutMs,
        deadline: { ms: 30 * 60_000 },
        requestsPerMinute: null,
        env: {},
        signal: hard.signal,
        clock,
        random: caller.dice.next,
        trace: (event) => shown.push(JSON.stringify(event)),
      },
      caller,
    );
    const planNow = async (more: Partial<PlanOptions> = {}): Promise<Plan> =>
      makePlan(job.desired, await readLiveFor(client, job.desired), {
        ...job.options,
        baseUrl: service.baseUrl,
        ...more,
      });
    plan = await planNow();
    shown.push(JSON.stringify(plan));
    if (soft.signal.aborted) throw new EdgewiseError("interrupted", "interrupted: nothing was changed", { exit: 130 });
    state.writing = true;
    const report = await applyPlan(plan, {
      client,
      concurrency: job.concurrency,
      resolveSecret: secretResolver(job.desired),
      findByMarker: createFindByMarker(client, plan.stack),
      signal: soft.signal,
      hardSignal: hard.signal,
      failFast: job.failFast,
      onEvent: async (event) => {
        if (caller.dead) return;
        if (job.journalEnds !== null && events.length >= job.journalEnds)
          throw new EdgewiseError("io", "the journal can't be written");
        events.push(event);
        shown.push(JSON.stringify(event));
        await clock.sleep(0);
      },
      clock,
      random: caller.dice.next,
    });
    if (report.outcome === "nothing") return makeResult(plan, report, { verified: true, warnings: [] });
    const skip = ["refused", "failed"].includes(report.outcome) || report.interrupted;
    const replan = (): Promise<Plan> => planNow({ rehearse: false, again: true });
    const deps = { replan, settleMs: configDefaults.api.settle, clock, signal: soft.signal };
    const verification = skip ? null : await verify({ plan, report }, deps);
    await client.close();
    return makeResult(plan, report, verification);
  };
  const about = { caller: caller.name, events };
  try {
    const result = await Promise.race([run(), killed]);
    if (result === null || plan === null)
      return { ...about, plan, result: null, exit: null, shown: shown.join("\n"), error: null };
    shown.push(JSON.stringify(result), renderResultText(result, plan, { color: false }));
    return { ...about, plan, result, exit: exitCodeOf(result), shown: shown.join("\n"), error: null };
  } catch (error) {
    if (!(error instanceof EdgewiseError)) throw error;
    shown.push(error.message, error.remedy ?? "", error.stack ?? "");
    return { ...about, plan, result: null, exit: error.exit, shown: shown.join("\n"), error: error.message };
  } finally {
    caller.ended = true;
  }
}
