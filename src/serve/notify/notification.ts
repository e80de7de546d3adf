import { createHash } from "node:crypto";
import type { Impact } from "../../kinds/impact.js";
import { visibleLine } from "../../core/visible.js";
import type { Fleet, FleetNotification, SecretSource } from "../fleet/fleet.js";
import type { Brake, StackRecord, StackState, StackStatus } from "../records.js";

export type NotificationEvent = FleetNotification["on"][number];

export type OutboxEntry = Readonly<{
  receiver: string;
  since: number;
  notification: Notification;
}>;

export type Notification = Pick<
  StackStatus,
  "reason" | "message" | "commit" | "appliedCommit" | "impact" | "changes" | "digest"
> &
  Readonly<{
    format: "edgewise.notification/v1";
    id: string;
    event: NotificationEvent;
    at: string;
    stack: string | null;
    account: string;
    source: string | null;
    state: StackState | null;
    brake: string | null;
    /** One line for people. */
    text: string;
  }>;

export function stackNotifications(
  before: StackRecord | null,
  after: StackRecord,
  { entered, braked }: Readonly<{ entered: boolean; braked: boolean }>,
): readonly Notification[] {
  const { lookedAt, since, state } = after.status;
  if (state === "unknown") return [];
  const found: Notification[] = [];
  if (hasDrift(after) && (before === null || !hasDrift(before)))
    found.push(stackNotification(after, "drift", lookedAt ?? since));
  const isOver = before?.memory.failing === true && after.memory.failing !== true;
  if (isOver && state !== "orphaned") found.push(stackNotification(after, "recovered", since));
  const event = eventOf(after.status, braked);
  if (entered && event !== null) found.push(stackNotification(after, event, since));
  return found;
}

export function withFailing(record: StackRecord): StackRecord {
  const { memory, status } = record;
  const isOpen = status.state === "pending" || status.state === "unknown";
  const isFailing = isOpen ? memory.failing === true : eventOf(status, false) === "failed";
  if (isFailing === (memory.failing === true)) return record;
  const { failing: _, ...rest } = memory;
  return { ...record, memory: isFailing ? { ...rest, failing: true } : rest };
}

export function hasDrift({ status: { changes } }: StackRecord): boolean {
  return changes.drift + changes.both > 0;
}

/** A refused stack needs a person as a failed one does. */
function eventOf({ reason, state }: StackStatus, braked: boolean): NotificationEvent | null {
  if (state === "failed" || state === "refused") return "failed";
  if (state === "orphaned") return "orphaned";
  if (state !== "waiting") return null;
  if (reason !== "brake") return "waiting";
  return braked ? null : "braked";
}

const format = "edgewise.notification/v1";

export function stackNotification(record: StackRecord, event: NotificationEvent, since: number): Notification {
  const { account, name: stack, source, status } = record;
  const { appliedCommit, changes, commit, digest, impact, message, reason, state } = status;
  const how = reason === null ? state : `${state} (${reason})`;
  const text = `${stack}: ${event === state ? "" : `${event}, `}${how}${message === "" ? "" : `: ${message}`}`;
  const about = { stack, account, source, state, reason, message, commit, appliedCommit, impact, changes, digest };
  const at = new Date(since).toISOString();
  return { format, id: idOf(stack, event, since), event, at, ...about, brake: null, text: textLine(text) };
}

export function healNotification(record: StackRecord, drift: number, impact: Impact, at: number): Notification {
  const message = `${drift} ${drift === 1 ? "resource was" : "resources were"} changed live, and is put back`;
  const shown = { message, impact, changes: { commit: 0, drift, both: 0 } };
  const text = textLine(`${record.name}: drift: ${message}`);
  return { ...stackNotification(record, "drift", at), state: "pending", reason: null, ...shown, text };
}

export function brakeNotification(account: string, { id: brake, message, since }: Brake): Notification {
  const id = idOf(`account:${account}`, "braked", since);
  const about = { stack: null, account, source: null, state: null, reason: null, message };
  const commits = { commit: null, appliedCommit: null, digest: null };
  const effect = { impact: "none", changes: { commit: 0, drift: 0, both: 0 } } as const;
  const text = textLine(`account ${account}: braked, automatic writes are paused: ${message}`);
  return {
    format,
    id,
    event: "braked",
    at: new Date(since).toISOString(),
    ...about,
    ...commits,
    ...effect,
    brake,
    text,
  };
}

export function outboxOf(
  { notify }: Pick<Fleet, "notify">,
  notifications: readonly Notification[],
  now: number,
): readonly OutboxEntry[] {
  return notifications.flatMap((notification) => {
    const wanted = notify.filter(({ on }) => on.includes(notification.event));
    const receivers = new Set(wanted.map(({ url }) => receiverKey(url)));
    return Array.from(receivers, (receiver) => ({ receiver, since: now, notification }));
  });
}

export function receiverKey(url: SecretSource): string {
  return digestOf(url).slice(0, 16);
}

function idOf(subject: string, event: NotificationEvent, since: number): string {
  return digestOf([subject, event, since]).slice(0, 32);
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

/** Slack's mentions and links begin with `<`. */
function textLine(text: string): string {
  return visibleLine(text).replaceAll("<", "‹");
}
