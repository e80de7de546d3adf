import { impacts } from "../../../src/kinds/impact.ts";
import { createMetrics } from "../../../src/serve/http/serve-metrics.ts";
import { newAccountRecord, stackStates, waitReasons } from "../../../src/serve/records.ts";
import { troubleKinds } from "../../../src/serve/serve-events.ts";
import { commit, fakeFleet, stackOf, viewOf } from "../../serve/http/fake-view.ts";
import { readMetrics } from "../../serve/http/read-metrics.ts";

export async function servedLabels(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const metrics = createMetrics({ version: "1.2.3", commit });
  const fleet = fakeFleet([stackOf("a", { state: "waiting", reason: "approval" })]);
  const { sources, accounts } = fleet;
  sources.push({ name: "edge", fetchedAt: 0, followed: commit, tip: commit, problem: null });
  accounts.push(newAccountRecord("main"));
  metrics.onEvent({ event: "stack-looked", stack: "a", commit, state: "synced", reason: null, ms: 1 });
  metrics.onEvent({ event: "request", account: "main", status: 200 });
  metrics.onEvent({ event: "rate-limited", account: "main", pauseMs: 1 });
  const served = new Map<string, Set<string>>();
  for (const { samples } of readMetrics((await metrics.render(viewOf(fleet), Date.now())).text).values()) {
    for (const { name, labels } of samples) {
      const known = served.get(name) ?? new Set();
      for (const label of Object.keys(labels)) known.add(label);
      served.set(name, known);
    }
  }
  return served;
}

export const closedLabels: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["state", stackStates],
  ["outcome", stackStates],
  ["reason", waitReasons],
  ["impact", impacts],
  ["kind", troubleKinds],
]);
