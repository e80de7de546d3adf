import type { Clock } from "../../api/client.js";
import { rememberBriefly } from "./remember-briefly.js";
import { type Answer, jsonAnswer } from "./send-answer.js";
import type { ServeMetrics } from "./serve-metrics.js";
import type { ServeView } from "./serve-view.js";

/** What probes and scrapers get, who have no token. */
export interface OpenAnswers {
  /** Whether the loop turns. */
  health(): Promise<Answer>;
  readiness(): Promise<Answer>;
  metrics(): Promise<Answer>;
}

/** What they are made from. */
export interface OpenSources {
  readonly view: ServeView;
  readonly metrics: ServeMetrics;
  readonly clock: Clock;
}

/** Readiness tries the store, and metrics look at every stack: at most once in so many milliseconds. */
const keptMs = 1000;

/** @param heartbeatMs the loop has stopped when it has not turned for so long */
export function openAnswers({ view, metrics, clock }: OpenSources, heartbeatMs: number): OpenAnswers {
  const tryStore = async (): Promise<Answer> => answerHealth(await view.unreadiness());
  const measure = async (): Promise<Answer> => {
    const { contentType, text } = await metrics.render(view, clock.now());
    return { status: 200, headers: { "Content-Type": contentType }, body: { text } };
  };
  return {
    health: async () => answerHealth(clock.now() - view.heartbeat() > heartbeatMs ? [stopped] : []),
    readiness: rememberBriefly(tryStore, keptMs, clock),
    metrics: rememberBriefly(measure, keptMs, clock),
  };
}

const stopped = "The loop does not turn any more.";

function answerHealth(problems: readonly string[]): Answer {
  const ok = problems.length === 0;
  return jsonAnswer({ format: "edgewise.health/v1", ok, problems }, ok ? 200 : 503);
}
