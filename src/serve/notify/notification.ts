import { createHash } from "node:crypto";
import type { Impact } from "../../kinds/impact.js";
import { visibleLine } from "../../text/visible.js";
import type { AccountRecord, StackRecord, StackState, StackStatus, WaitReason } from "../records.js";
import type { Notice, NoticeEvent } from "./notices.js";

/** What a receiver gets (schemas/serve-notification.schema.json). It holds no secret. */
export interface Notification {
  readonly format: "edgewise.notification/v1";
  /** The same for the same transition, however often it is sent. */
  readonly id: string;
  readonly event: NoticeEvent;
  readonly at: string;
  /** Null = it is about an account. */
  readonly stack: string | null;
  readonly account: string;
  readonly source: string | null;
  readonly state: StackState | null;
  readonly reason: WaitReason | null;
  readonly message: string;
  readonly commit: string | null;
  readonly appliedCommit: string | null;
  readonly impact: Impact;
  readonly changes: StackStatus["changes"];
  readonly digest: string | null;
  /** Of the account; null = the notification is not about one. */
  readonly brake: string | null;
  /** One line for people, in which nothing is markup of Slack. */
  readonly text: string;
}

/** A notification about a stack. */
export function stackNotification({ account, name, source, status }: StackRecord, notice: Notice): Notification {
  const { appliedCommit, changes, commit, digest, impact, reason, state } = status;
  const { message } = status;
  const said = message === "" ? "" : `: ${message}`;
  const how = reason === null ? state : `${state} (${reason})`;
  const { commit: own, drift, both } = changes;
  return {
    ...headOf(name, notice),
    stack: name,
    account,
    source,
    state,
    reason,
    message,
    commit,
    appliedCommit,
    impact,
    changes: { commit: own, drift, both },
    digest,
    brake: null,
    text: textLine(`${name}: ${notice.event === state ? "" : `${notice.event}, `}${how}${said}`),
  };
}

/** Drift that is put back at once. */
export interface Heal {
  readonly changes: number;
  readonly impact: Impact;
}

/** A notification about drift that is put back at once: the stack's record does not know of it yet. */
export function healNotification(record: StackRecord, notice: Notice, { changes, impact }: Heal): Notification {
  const message = `${changes} ${changes === 1 ? "resource was" : "resources were"} changed live, and is put back`;
  const text = textLine(`${record.name}: drift: ${message}`);
  const about = stackNotification({ ...record, status: { ...record.status, message } }, notice);
  return { ...about, state: "pending", reason: null, impact, changes: { commit: 0, drift: changes, both: 0 }, text };
}

/** A notification about the brake of an account. */
export function brakeNotification({ brake, name }: AccountRecord, notice: Notice): Notification {
  const message = brake?.message ?? "";
  return {
    ...headOf(accountSubject(name), notice),
    stack: null,
    account: name,
    source: null,
    state: null,
    reason: null,
    message,
    commit: null,
    appliedCommit: null,
    impact: "none",
    changes: { commit: 0, drift: 0, both: 0 },
    digest: null,
    brake: brake?.id ?? null,
    text: textLine(`account ${name}: braked, automatic writes are paused: ${message}`),
  };
}

/** Slack's mentions and links begin with the character that is replaced; what a repository says must not be one. */
function textLine(text: string): string {
  return visibleLine(text).replaceAll("<", "‹");
}

/** What names an account among subjects; no stack is named like this. */
export function accountSubject(account: string): string {
  return `account:${account}`;
}

function headOf(subject: string, { event, since }: Notice): Pick<Notification, "format" | "id" | "event" | "at"> {
  const id = createHash("sha256")
    .update(JSON.stringify([subject, event, since]))
    .digest("hex")
    .slice(0, 32);
  return { format: "edgewise.notification/v1", id, event, at: new Date(since).toISOString() };
}
