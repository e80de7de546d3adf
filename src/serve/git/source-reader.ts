import { posix } from "node:path";
import type { FileTree } from "../../manifest/file-tree.js";
import type { FleetSource } from "../fleet/fleet.js";
import type { Approval, SourceRecord } from "../records.js";

/** Fetches sources and reads their commits. */
export interface SourceReader {
  /**
   * Fetches the ref and decides whether its tip is followed. Never throws: what is wrong is the record's problem, and the
   * last followed commit stays.
   * @param signal aborted = git is stopped
   * @param configs paths and patterns of its stacks' configurations: commits that touch none of their directories need no
   * signature. Default: the one at the top, so that all commits do
   */
  fetch(
    source: FleetSource,
    before: SourceRecord | null,
    signal: AbortSignal,
    configs?: readonly string[],
  ): Promise<SourceRecord>;
  /** The files of a commit that was fetched. Nothing is checked out. @throws EdgewiseError `git` */
  open(source: FleetSource, commit: string): Promise<SourceCommit>;
  /** Ends what still runs. */
  close(): Promise<void>;
}

/** One commit of a source. Paths are relative to the repository's top, with `/`. */
export interface SourceCommit {
  readonly commit: string;
  /** The paths of the configurations that match a pattern with one `*`, with what the `*` matched, sorted. */
  findConfigs(pattern: string): Promise<readonly { readonly path: string; readonly match: string }[]>;
  /** A configuration's text; null when the commit does not hold it. @throws EdgewiseError `config` */
  readConfig(path: string): Promise<string | null>;
  /**
   * Git's object ids of directories: equal ids, equal content below. "" is the top; null = there is none. Links that lead
   * out of a directory are not part of its id: `hasLinks` says whether one holds any link.
   */
  directoryIds(
    directories: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly id: string; readonly hasLinks: boolean } | null>>;
  /** The files below a directory. `secrets`: the only directory whose files are secrets, absolute; null = there is none. */
  tree(directory: string, secrets: string | null): Promise<FileTree>;
}

/** What may have been approved. */
export interface ApprovalQuestion {
  /** The stack's name in the fleet. */
  readonly stack: string;
  /** In hexadecimal. */
  readonly digest: string;
  /** The file of allowed signers, absolute. */
  readonly approvers: string;
  /** Commits after this one are what is approved; null = nothing was ever in sync. A full id. */
  readonly since: string | null;
  /** The commit that is followed. */
  readonly tip: string;
  /** The stack's directory, "" = the top; null = one directory can't name what it is made from. */
  readonly directory: string | null;
}

/** The tags that were found. */
export interface ApprovalAnswer {
  /** Those that count. */
  readonly approvals: readonly Approval[];
  /** Why others don't, or why nobody can tell: sentences for people. */
  readonly problems: readonly string[];
}

/** Reads the tags of a source that approve what waits. Only what is asked for is fetched. */
export interface ApprovalReader {
  /**
   * Which tags there are for what waits in some stacks: a text for each stack that has any, which differs when they do.
   * Nothing is fetched or verified. Never throws; what can't be told is empty.
   */
  listApprovals(
    source: FleetSource,
    waiting: readonly { readonly stack: string; readonly digest: string }[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>>;
  /** Fetches and verifies the tags that approve a digest. Never throws but for bugs. */
  readApprovals(source: FleetSource, question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer>;
}

/** The directory of a configuration in its repository; "" is the top. */
export function directoryOf(path: string): string {
  const directory = posix.dirname(path);
  return directory === "." ? "" : directory;
}
