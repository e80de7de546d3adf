import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { onTestFinished } from "vitest";
import {
  type AccountRecord,
  type HistoryEntry,
  type SourceRecord,
  type StackRecord,
  newAccountRecord,
} from "../../../src/serve/records.ts";
import { type DirectoryStore, openDirectoryStore } from "../../../src/serve/store/directory-store.ts";

/** The time of all records of tests: 2026-01-31T12:00:00Z. */
export const noon = Date.UTC(2026, 0, 31, 12);

export async function statePath(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "edgewise-state-"));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  return join(parent, "state");
}

export async function openStore(directory: string): Promise<DirectoryStore> {
  const store = await openDirectoryStore(directory, { cwd: "/" });
  onTestFinished(() => store.close());
  return store;
}

export function stackRecord(name: string, changes: Partial<StackRecord> = {}): StackRecord {
  return {
    name,
    account: "main",
    source: "edge",
    stack: "edge-prod",
    status: {
      state: "waiting",
      reason: "window",
      message: "it may write from 07:00",
      since: noon - 1000,
      commit: "a".repeat(40),
      appliedCommit: null,
      lookedAt: noon,
      impact: "routing",
      changes: { commit: 1, drift: 0, both: 2 },
      digest: null,
      nextLook: noon + 600_000,
      uncomparedSecrets: 0,
    },
    memory: {
      synced: { "TLSEdge/a": "sha256:0" },
      ids: { "TLSEdge/a": "edgtls_1" },
      failures: 0,
      deletes: [noon - 5000],
      restored: { "TLSEdge/a spec.hostports": [noon - 7000] },
      sighted: null,
      blind: false,
      contested: { "TLSEdge/a spec.hostports": { since: noon - 7000, lastSeen: noon } },
    },
    ...changes,
  };
}

export function accountRecord(name: string, changes: Partial<AccountRecord> = {}): AccountRecord {
  return { ...newAccountRecord(name), heals: { prod: noon }, ...changes };
}

export function sourceRecord(name: string, changes: Partial<SourceRecord> = {}): SourceRecord {
  return { name, followed: "b".repeat(40), tip: "b".repeat(40), fetchedAt: noon, problem: null, ...changes };
}

export function historyEntry(stack: string, number: number, at = new Date(noon).toISOString()): HistoryEntry {
  return {
    at,
    stack,
    commit: "a".repeat(40),
    event: "apply",
    outcome: "applied",
    impact: "routing",
    operations: [
      {
        id: "op-1",
        address: "TLSEdge/a",
        kind: "patch",
        action: "update",
        status: "done",
        httpStatus: 200,
        resourceId: "edgtls_1",
        error: null,
      },
    ],
    approval: null,
    message: String(number),
  };
}

export const anyName = fc.oneof(
  fc.constantFrom(
    "prod",
    "many/t1",
    "../../etc/passwd",
    "con",
    "Prod",
    "prod.json",
    "ünï",
    "u\u0308",
    ".",
    "..",
    "a".repeat(500),
  ),
  fc.string({ minLength: 1, maxLength: 300, unit: "grapheme" }),
  fc.string({ minLength: 1 }),
);
