import { posix } from "node:path";
import type { FileTree } from "../../manifest/file-tree.js";
import type { FleetSource } from "../fleet/fleet.js";
import type { Approval, SourceRecord } from "../records.js";

export interface SourceReader {
  fetch(
    source: FleetSource,
    before: SourceRecord | null,
    signal: AbortSignal,
    configs?: readonly string[],
  ): Promise<SourceRecord>;
  open(source: FleetSource, commit: string): Promise<SourceCommit>;
  close(): Promise<void>;
}

export interface SourceCommit {
  readonly commit: string;
  findConfigs(pattern: string): Promise<readonly Readonly<{ path: string; match: string }>[]>;
  readConfig(path: string): Promise<string | null>;
  /** Of those that there are: equal ids, equal content below. "" is the top. */
  directoryIds(
    directories: readonly string[],
  ): Promise<ReadonlyMap<string, Readonly<{ id: string; hasLinks: boolean }>>>;
  tree(directory: string): Promise<FileTree>;
}

export type ApprovalQuestion = Readonly<{
  stack: string;
  digest: string;
  approvers: string;
  since: string | null;
  tip: string;
  directory: string | null;
}>;

export type ApprovalAnswer = Readonly<{
  approvals: readonly Approval[];
  problems: readonly string[];
}>;

export interface ApprovalReader {
  /** For each stack that has tags for what waits, a text that differs when they do. */
  listApprovals(
    source: FleetSource,
    waiting: readonly Readonly<{ stack: string; digest: string }>[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>>;
  readApprovals(source: FleetSource, question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer>;
}

export function directoryOf(path: string): string {
  const directory = posix.dirname(path);
  return directory === "." ? "" : directory;
}
