import { describe, expect, it } from "vitest";
import { createServeLog } from "../../../src/commands/support/serve-log.ts";
import type { ServeEvent } from "../../../src/serve/serve-events.ts";
import { memoryIo } from "../../commands/memory-io.ts";
import { schemas, violations } from "../../schemas/all-schemas.ts";

const commit = "0123456789abcdef0123456789abcdef01234567";

/** One of each event. */
const events: { readonly [Name in ServeEvent["event"]]: Extract<ServeEvent, { event: Name }> } = {
  "serve-started": { event: "serve-started", fleet: "/f.yaml", stacks: 2, accounts: 1, url: "http://127.0.0.1:7070" },
  "state-damaged": { event: "state-damaged", message: "stacks/prod.json is damaged" },
  "fleet-loaded": { event: "fleet-loaded", fleet: "/f.yaml", stacks: 2 },
  "fleet-refused": { event: "fleet-refused", fleet: "/f.yaml", message: "f.yaml:3:1: there is no source x" },
  "restart-needed": { event: "restart-needed", fleet: "/f.yaml", message: "http changed" },
  "service-silent": { event: "service-silent", account: "main" },
  "database-unencrypted": { event: "database-unencrypted" },
  "source-fetched": { event: "source-fetched", source: "edge", commit, ms: 12.5 },
  "source-followed": { event: "source-followed", source: "edge", commit, before: null, stacks: 1 },
  "source-failed": { event: "source-failed", source: "edge", code: "missing", message: "main is not there" },
  "source-recovered": { event: "source-recovered", source: "edge", commit },
  "account-looked": { event: "account-looked", account: "main", stacks: 3, ms: 1500 },
  "stack-looked": { event: "stack-looked", stack: "prod", commit, state: "waiting", reason: "window", ms: 3 },
  "state-changed": {
    event: "state-changed",
    stack: "prod",
    from: "synced",
    to: "waiting",
    reason: "approval",
    commit,
    impact: "security",
    message: "2 changes wait",
  },
  "stack-forgotten": { event: "stack-forgotten", stack: "old" },
  "apply-started": { event: "apply-started", stack: "prod", commit, operations: 2, impact: "routing", drift: 1 },
  "apply-ended": { event: "apply-ended", stack: "prod", commit, outcome: "complete", verified: true, ms: 900 },
  "approval-spent": {
    event: "approval-spent",
    stack: "prod",
    digest: "d".repeat(64),
    approver: "ann@example.com",
    tag: commit,
  },
  "brake-engaged": { event: "brake-engaged", account: "main", id: "b1", message: "4 of 5 stacks" },
  "brake-released": { event: "brake-released", account: "main", id: "b1" },
  request: { event: "request", account: "main", status: 200 },
  "rate-limited": { event: "rate-limited", account: "main", pauseMs: 2000 },
  "store-failed": { event: "store-failed", message: "the disk is full" },
  "store-recovered": { event: "store-recovered" },
  "notify-failed": { event: "notify-failed", receiver: "/run/secrets/hook-url", message: "it answers 500" },
  "notify-recovered": { event: "notify-recovered", receiver: "/run/secrets/hook-url" },
  "answer-failed": { event: "answer-failed", message: "the file /t of the token can't be read" },
  bug: { event: "bug", subject: "the pass of account main", message: "TypeError: x" },
  stopping: { event: "stopping", signal: "SIGTERM" },
  "serve-ended": { event: "serve-ended", exit: 0 },
};

function logged(flags: Parameters<typeof createServeLog>[0], all: readonly ServeEvent[]): readonly string[] {
  const io = memoryIo();
  const log = createServeLog(flags, io);
  for (const event of all) log(event);
  return io.err().trimEnd().split("\n");
}

describe("the log of serve", () => {
  it("writes each event but single requests as a JSON line that its schema describes", () => {
    const lines = logged({ logFormat: "json", verbose: true }, Object.values(events));
    const parsed = lines.map((line): unknown => JSON.parse(line));
    expect(parsed).toHaveLength(Object.keys(events).length - 1);
    for (const line of parsed) expect(violations("serve-log", line), JSON.stringify(line)).toEqual([]);
    expect(Object.keys(schemas.get("serve-log.schema.json")?.["$defs"] ?? {}).toSorted()).toEqual(
      Object.keys(events)
        .filter((name) => name !== "request")
        .concat("problem")
        .toSorted(),
    );
  });

  it("writes a line for people, whose first word is its subject", () => {
    expect(logged({}, [events["state-changed"], events["apply-ended"], events["store-failed"]])).toEqual([
      "2023-11-14T22:13:20Z prod: synced → waiting (approval) at 0123456789ab: 2 changes wait",
      "2023-11-14T22:13:20Z prod: apply of 0123456789ab ended: complete, verified, 900 ms",
      "2023-11-14T22:13:20Z error: the state can't be saved, nothing is written to the service until it can: the disk is full",
    ]);
    expect(logged({}, [{ ...events["state-changed"], from: "waiting" }])[0]).toContain(
      " prod: now waiting (approval) at ",
    );
  });

  it.each(["text", "json"] as const)("writes no control character, whatever others say (%s)", (logFormat) => {
    const message = "a\u001b[31m\n::error::\u202eb\r";
    const [line, ...more] = logged({ logFormat }, [{ ...events["source-failed"], message }]);
    expect(more).toEqual([]);
    expect(line).toMatch(/^[\x20-\x7e]+$/u);
  });
});
