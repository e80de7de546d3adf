import { createHmac } from "node:crypto";
import { type IncomingHttpHeaders, request } from "node:http";
import { onTestFinished } from "vitest";
import type { Trouble } from "../../../src/serve/serve-events.ts";
import { systemClock } from "../../../src/api/system-clock.ts";
import type { Plan } from "../../../src/plan/plan-format.ts";
import { type ServeHttpOptions, startServeHttp } from "../../../src/serve/http/serve-http.ts";
import { createMetrics } from "../../../src/serve/http/serve-metrics.ts";
import type { ServeView, StackView } from "../../../src/serve/http/shown-stack.ts";
import type { AccountRecord, HistoryEntry, SourceRecord, StackStatus } from "../../../src/serve/records.ts";
import { stackRecord } from "../store/support.ts";

export const commit = "0123456789abcdef0123456789abcdef01234567";

export function stackOf(name: string, changes: Partial<StackStatus> = {}, intervalMs = 600_000): StackView {
  const now = Date.now();
  const status: StackStatus = {
    ...stackRecord(name).status,
    state: "synced",
    reason: null,
    message: "Live is what Git says.",
    since: now - 5000,
    commit,
    appliedCommit: commit,
    lookedAt: now - 1000,
    impact: "none",
    changes: { commit: 0, drift: 0, both: 0 },
    nextLook: now + intervalMs,
    ...changes,
  };
  return { record: stackRecord(name, { stack: name, status }), intervalMs };
}

export type FakeFleet = ReturnType<typeof fakeFleet>;

export function fakeFleet(stacks: StackView[] = [stackOf("prod")]) {
  return {
    stacks,
    plans: new Map<string, Plan>(),
    entries: new Map<string, HistoryEntry[]>(),
    sources: [] as SourceRecord[],
    accounts: [] as AccountRecord[],
    heartbeat: null as number | null,
    problems: [] as string[],
    troubles: [] as Trouble[],
    hastened: [] as string[],
    asked: [] as string[],
  };
}

export function viewOf(fleet: FakeFleet): ServeView {
  return {
    stacks: () => fleet.stacks,
    stack: (name) => fleet.stacks.find(({ record }) => record.name === name) ?? null,
    plan: async (name) => {
      fleet.asked.push(name);
      return fleet.plans.get(name) ?? null;
    },
    history: async (name, { limit, after }) => {
      fleet.asked.push(name);
      const all = fleet.entries.get(name) ?? [];
      const from = Number(after ?? 0);
      return { entries: all.slice(from, from + limit), next: from + limit < all.length ? String(from + limit) : null };
    },
    sources: () => fleet.sources,
    accounts: () => fleet.accounts,
    troubles: () => fleet.troubles,
    passing: () => 2,
    heartbeat: () => fleet.heartbeat ?? Date.now(),
    unreadiness: async () => fleet.problems,
    markDue: (source) => void fleet.hastened.push(source),
  };
}

export async function startFake(fleet: FakeFleet, changes: Partial<ServeHttpOptions> = {}) {
  const problems: unknown[] = [];
  const metrics = createMetrics({ version: "1.2.3", commit });
  // Answers are kept for a second: each one that is asked for here is a second later.
  let asked = 0;
  const clock = { now: () => Date.now() + 1000 * asked, sleep: systemClock.sleep };
  const http = await startServeHttp({
    view: viewOf(fleet),
    metrics,
    clock,
    listen: { host: "127.0.0.1", port: 0 },
    readToken: null,
    readHookSecret: async () => null,
    onProblem: (error) => problems.push(error),
    ...changes,
  });
  onTestFinished(() => http.close());
  const ask = async (path: string, init: AskInit = {}) => {
    asked += 1;
    return await send(http.url, path, init);
  };
  return { ...http, metrics, problems, ask };
}

export interface AskInit {
  readonly method?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string | Uint8Array;
}

export interface Asked {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

async function send(url: string, path: string, { method = "GET", headers = {}, body }: AskInit): Promise<Asked> {
  return await new Promise<Asked>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const sent = request({ hostname, port, path, method, headers, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(pieces).toString("utf8"),
        }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

export function signatureOf(body: string | Uint8Array, secret: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}
