import { posix } from "node:path";
import type { FileTree } from "../../manifest/file-tree.js";
import type { FleetSource } from "../fleet/fleet.js";
import type { Approval, SourceRecord } from "../records.js";

export interface SourceReader {
  /** Fetches the ref and decides whether its tip is followed. */
  fetch(
    source: FleetSource,
    before: SourceRecord | null,
    signal: AbortSignal,
    configs?: readonly string[],
  ): Promise<SourceRecord>;
  open(source: FleetSource, commit: string): Promise<SourceCommit>;
  close(): Promise<void>;
}

/** One commit of a source. Paths are relative to the repository's top, with `/`. */
export interface SourceCommit {
  readonly commit: string;
  findConfigs(pattern: string): Promise<readonly { readonly path: string; readonly match: string }[]>;
  /** A configuration's text; null when the commit does not hold it. */
  readConfig(path: string): Promise<string | null>;
  /** Git's object ids of directories: equal ids, equal content below. "" is the top; null = there is none. */
  directoryIds(
    directories: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly id: string; readonly hasLinks: boolean } | null>>;
  /** The files below a directory. None of them is a secret. */
  tree(directory: string): Promise<FileTree>;
}

export interface ApprovalQuestion {
  readonly stack: string;
  readonly digest: string;
  readonly approvers: string;
  /** Commits after this one are what is approved; null = nothing was ever in sync. A full id. */
  readonly since: string | null;
  readonly tip: string;
  readonly directory: string | null;
}

export interface ApprovalAnswer {
  readonly approvals: readonly Approval[];
  /** Why others don't, or why nobody can tell: sentences for people. */
  readonly problems: readonly string[];
}

/** Reads the tags of a source that approve what waits. Only what is asked for is fetched. */
export interface ApprovalReader {
  /** For each stack that has tags for what waits, a text that differs when they do. */
  listApprovals(
    source: FleetSource,
    waiting: readonly { readonly stack: string; readonly digest: string }[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>>;
  /** Fetches and verifies the tags that approve a digest. Never throws but for bugs. */
  readApprovals(source: FleetSource, question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer>;
}

export function directoryOf(path: string): string {
  const directory = posix.dirname(path);
  return directory === "." ? "" : directory;
}
