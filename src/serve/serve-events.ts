import type { Impact } from "../kinds/impact.js";
import type { StackState, WaitReason } from "./records.js";

/** What the loop does, for logs and metrics. Names and members are stable. No event holds a secret. */
export type ServeEvent =
  | {
      readonly event: "serve-started";
      readonly fleet: string;
      readonly stacks: number;
      readonly accounts: number;
      readonly url: string;
    }
  /** A record of the stored state can't be read: its stacks fail until it is put right or removed. */
  | { readonly event: "state-damaged"; readonly message: string }
  | { readonly event: "fleet-loaded"; readonly fleet: string; readonly stacks: number }
  | { readonly event: "fleet-refused"; readonly fleet: string; readonly message: string }
  | { readonly event: "restart-needed"; readonly fleet: string; readonly message: string }
  | { readonly event: "source-fetched"; readonly source: string; readonly commit: string; readonly ms: number }
  | { readonly event: "source-failed"; readonly source: string; readonly code: string; readonly message: string }
  | { readonly event: "source-recovered"; readonly source: string; readonly commit: string }
  | {
      readonly event: "source-followed";
      readonly source: string;
      readonly commit: string;
      readonly before: string | null;
      readonly stacks: number;
    }
  | { readonly event: "account-looked"; readonly account: string; readonly stacks: number; readonly ms: number }
  | { readonly event: "stack-forgotten"; readonly stack: string }
  | {
      readonly event: "stack-looked";
      readonly stack: string;
      readonly commit: string | null;
      readonly state: StackState;
      readonly reason: WaitReason | null;
      readonly ms: number;
    }
  | {
      readonly event: "state-changed";
      readonly stack: string;
      readonly from: StackState;
      readonly to: StackState;
      readonly reason: WaitReason | null;
      readonly commit: string | null;
      readonly impact: Impact;
      readonly message: string;
    }
  | {
      readonly event: "apply-started";
      readonly stack: string;
      readonly commit: string;
      readonly operations: number;
      readonly impact: Impact;
      /** How many of its changes put back what somebody changed live. */
      readonly drift: number;
    }
  | {
      readonly event: "apply-ended";
      readonly stack: string;
      readonly commit: string;
      readonly outcome: string;
      readonly verified: boolean | null;
      readonly ms: number;
    }
  /** What a person approved is about to be applied. */
  | {
      readonly event: "approval-spent";
      readonly stack: string;
      readonly digest: string;
      readonly approver: string;
      readonly tag: string;
    }
  | { readonly event: "brake-engaged"; readonly account: string; readonly id: string; readonly message: string }
  | { readonly event: "brake-released"; readonly account: string; readonly id: string }
  /** A request to the service has ended. Its status is 0 when there was no answer. */
  | { readonly event: "request"; readonly account: string; readonly status: number }
  /** The service gave no answer in time, or can't be reached; told once until it answers again. */
  | { readonly event: "service-silent"; readonly account: string }
  /** What is sent to the database can be read on the way, the password too. */
  | { readonly event: "database-unencrypted" }
  | { readonly event: "rate-limited"; readonly account: string; readonly pauseMs: number }
  /** Nothing is recorded until this is over: no stack is written to meanwhile. */
  | { readonly event: "store-failed"; readonly message: string }
  | { readonly event: "store-recovered" }
  /** A receiver of notifications can't be told; it is tried again. `receiver`: where its URL is kept. */
  | { readonly event: "notify-failed"; readonly receiver: string; readonly message: string }
  | { readonly event: "notify-recovered"; readonly receiver: string }
  /** An answer over HTTP could not be given as it should: what it needs can't be read. */
  | { readonly event: "answer-failed"; readonly message: string }
  /** Something that must not happen, did: the loop goes on. */
  | { readonly event: "bug"; readonly subject: string; readonly message: string }
  | { readonly event: "stopping"; readonly signal: string }
  | { readonly event: "serve-ended"; readonly exit: number };
