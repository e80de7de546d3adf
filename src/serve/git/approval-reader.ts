import type { FleetSource } from "../fleet/fleet.js";
import type { Approval } from "../records.js";

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
