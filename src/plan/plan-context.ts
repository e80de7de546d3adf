import type { Move } from "../kinds/impact.js";
import type { Kind } from "../kinds/kind.js";
import type { Address } from "../kinds/names.js";
import type { Live } from "../live/live.js";
import { FindingsCollector } from "./findings-collector.js";
import { type LiveIndex, indexLive } from "./live-index.js";
import type { Judged, PlanOptions } from "./options.js";

/** What every step of planning can look up. Only the findings grow on the way. */
export interface PlanContext {
  readonly live: Live;
  readonly index: LiveIndex;
  readonly options: PlanOptions;
  /** {@link PlanOptions.judged} with its default. */
  readonly judged: Judged;
  readonly findings: FindingsCollector;
  /** What moves from one resource to another; empty until that is known. */
  readonly moves: ReadonlyMap<string, Move>;
}

/** What the operations of one resource need to know. */
export interface OperationContext extends PlanContext {
  readonly kind: Kind;
  readonly address: Address;
}

/** Indexes the live side, which takes most of the time of a plan without changes. */
export function planContext(live: Live, options: PlanOptions): PlanContext {
  return {
    live,
    index: indexLive(live, options),
    options,
    judged: options.judged ?? "change",
    findings: new FindingsCollector(options.allow),
    moves: new Map(),
  };
}

/** The context of one resource. */
export function forResource(context: PlanContext, kind: Kind, address: Address): OperationContext {
  return { ...context, kind, address };
}
