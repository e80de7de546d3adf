import type { Impact } from "../kinds/impact.js";
import { count, listFew } from "../core/text.js";
import type { StackRecord, StackState, StackStatus, WaitReason } from "./records.js";
import { ApiError } from "../api/api-error.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { EdgewiseError } from "../core/errors.js";

export type EventLevel = "debug" | "info" | "warning" | "error";

type DescribedEvent = Readonly<{
  level: EventLevel;
  message: string;
}>;

const debug = (message: string): DescribedEvent => ({ level: "debug", message });
const info = (message: string): DescribedEvent => ({ level: "info", message });
const warning = (message: string): DescribedEvent => ({ level: "warning", message });
const error = (message: string): DescribedEvent => ({ level: "error", message });

type Words<Members> = (event: Members) => DescribedEvent | null;

type Reason = WaitReason | null;

/** Members are stable and hold no secret. Null = for metrics alone. */
const events = {
  "serve-started": (e: { fleet: string; stacks: number; accounts: number; url: string }) =>
    info(
      `${e.fleet}: ${e.stacks === 0 ? "no stack known yet" : count(e.stacks, "stack")} in ${count(e.accounts, "account")}, shown at ${e.url}`,
    ),
  "state-damaged": (e: { message: string }) => warning(e.message),
  "fleet-loaded": (e: { fleet: string; stacks: number }) => info(`${e.fleet}: read again, ${count(e.stacks, "stack")}`),
  "fleet-refused": (e: { fleet: string; message: string }) =>
    error(`${e.fleet} is refused, and the fleet stays as it was: ${e.message}`),
  "restart-needed": (e: { fleet: string; message: string }) => warning(`${e.fleet}: ${e.message}`),
  "source-fetched": (e: { source: string; commit: string; ms: number }) =>
    debug(`source ${e.source}: fetched, at ${short(e.commit)}, ${seconds(e.ms)}`),
  "source-followed": (e: { source: string; commit: string; before: string | null; stacks: number }) =>
    info(`source ${e.source}: ${short(e.commit)} is followed, ${count(e.stacks, "stack")} to look at`),
  "source-failed": (e: { source: string; code: string; message: string }) =>
    warning(`source ${e.source}: ${e.message} (${e.code})`),
  "source-recovered": (e: { source: string; commit: string }) =>
    info(`source ${e.source}: can be followed again, at ${short(e.commit)}`),
  "account-looked": (e: { account: string; stacks: number; ms: number }) =>
    debug(`account ${e.account}: looked at ${count(e.stacks, "stack")}, ${seconds(e.ms)}`),
  "stack-looked": (e: { stack: string; commit: string | null; state: StackState; reason: Reason; ms: number }) =>
    debug(`${e.stack}: ${stateWords(e.state, e.reason)}${atCommit(e.commit)}`),
  "state-changed": (e: {
    stack: string;
    from: StackState;
    to: StackState;
    reason: Reason;
    commit: string | null;
    impact: Impact;
    message: string;
  }) => {
    const change = `${e.from === e.to ? "now" : `${e.from} →`} ${stateWords(e.to, e.reason)}`;
    const text = `${e.stack}: ${change}${atCommit(e.commit)}${e.message === "" ? "" : `: ${e.message}`}`;
    if (e.to === "failed") return error(text);
    return e.to === "refused" || e.to === "orphaned" ? warning(text) : info(text);
  },
  "stack-forgotten": (e: { stack: string }) => info(`${e.stack}: forgotten`),
  "apply-started": (e: { stack: string; commit: string; operations: number; impact: Impact; drift: number }) =>
    info(`${e.stack}: applying ${count(e.operations, "operation")} of ${short(e.commit)}, impact ${e.impact}`),
  "apply-ended": (e: { stack: string; commit: string; outcome: string; verified: boolean | null; ms: number }) => {
    const proof = e.verified === null ? "" : e.verified ? ", verified" : ", not as planned when looked at again";
    const text = `${e.stack}: apply of ${short(e.commit)} ended: ${e.outcome}${proof}, ${seconds(e.ms)}`;
    return e.verified === false ? error(text) : info(text);
  },
  "approval-spent": (e: { stack: string; digest: string; approver: string; tag: string }) =>
    info(`${e.stack}: ${e.approver} approved ${short(e.digest)}, with the tag ${short(e.tag)}`),
  "brake-engaged": (e: { account: string; id: string; message: string }) =>
    warning(`account ${e.account}: automatic writes are paused: ${e.message}`),
  "brake-released": (e: { account: string; id: string }) =>
    info(`account ${e.account}: automatic writes resume, the brake ${e.id} is released`),
  request: (() => null) as Words<{ account: string; status: number }>,
  "rate-limited": (e: { account: string; pauseMs: number }) =>
    warning(`account ${e.account}: the service limits the rate, all requests pause for ${seconds(e.pauseMs)}`),
  "service-silent": (e: { account: string }) =>
    warning(`account ${e.account}: the service gives no answer; it is asked again`),
  "database-unencrypted": (() =>
    warning(
      "the database's sslmode lets the password and all data leave this machine unencrypted; use verify-full",
    )) as Words<object>,
  "store-failed": (e: { message: string }) =>
    error(`the state can't be saved, so nothing is written to the service: ${e.message}`),
  "store-recovered": (() => info("the state can be saved again")) as Words<object>,
  "notify-failed": (e: { receiver: string; message: string }) =>
    warning(`notifications to ${e.receiver} can't be delivered, and are tried again: ${e.message}`),
  "notify-recovered": (e: { receiver: string }) => info(`notifications to ${e.receiver} are delivered again`),
  "answer-failed": (e: { message: string }) => error(`an answer over HTTP: ${e.message}`),
  bug: (e: { subject: string; message: string }) => error(`${e.subject}: ${e.message}. Please report it.`),
  stopping: (e: { signal: string }) =>
    info(`${e.signal}: nothing new begins, and what runs ends. Another signal cuts it off.`),
  "serve-ended": (() => info("everything has ended, and its state is saved")) as Words<{ exit: number }>,
};

type Events = typeof events;

export type ServeEvent = {
  [E in keyof Events]: { readonly event: E } & Readonly<Parameters<Events[E]>[0]>;
}[keyof Events];

export function describeEvent(event: ServeEvent): DescribedEvent | null {
  return events[event.event](event as never);
}

export function stateChanged(before: StackStatus | null, { name, status }: StackRecord): ServeEvent {
  const { commit, impact, message, reason, state } = status;
  const from = before?.state ?? "unknown";
  return { event: "state-changed", stack: name, from, to: state, reason, commit, impact, message };
}

function stateWords(state: StackState, reason: Reason): string {
  return reason === null ? state : `${state} (${reason})`;
}

function atCommit(commit: string | null): string {
  return commit === null ? "" : ` at ${short(commit)}`;
}

function short(commit: string): string {
  return commit.slice(0, 12);
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

export const troubleKinds = ["fleet", "store", "notify", "service"] as const;

export type Trouble = Readonly<{
  kind: (typeof troubleKinds)[number];
  message: string;
  since: number;
}>;

const troubleOf: { readonly [event in ServeEvent["event"]]?: Trouble["kind"] } = {
  "fleet-refused": "fleet",
  "fleet-loaded": "fleet",
  "store-failed": "store",
  "store-recovered": "store",
  "notify-failed": "notify",
  "notify-recovered": "notify",
  "service-silent": "service",
  request: "service",
};

export class Troubles {
  readonly #known = new Map<string, Trouble>();

  constructor(private readonly now: () => number) {}

  list(): readonly Trouble[] {
    return [...this.#known.values()];
  }

  onEvent(event: ServeEvent): ServeEvent | null {
    const kind = troubleOf[event.event];
    if (kind === undefined) return null;
    const about = "receiver" in event ? event.receiver : "account" in event ? event.account : "";
    const key = `${kind} ${about}`;
    const isSilent = event.event === "request" && event.status === 0;
    const said = isSilent ? ({ event: "service-silent", account: event.account } as const) : event;
    const { level = "debug", message = "" } = describeEvent(said) ?? {};
    const before = this.#known.get(key);
    if (level === "warning" || level === "error")
      this.#known.set(key, { kind, message, since: before?.since ?? this.now() });
    else this.#known.delete(key);
    return isSilent && before === undefined ? said : null;
  }
}

export function wordsOf({ message, remedy }: Pick<EdgewiseError, "message" | "remedy">): string {
  return remedy === null ? message : `${message}. ${remedy}`.replace("..", ".");
}

export function problemWords(problems: readonly Diagnostic[]): string {
  const texts = problems.map(({ column, file, line, ...said }) => `${file}:${line}:${column}: ${wordsOf(said)}`);
  return listFew(texts, 5);
}

export function failureWords(error: unknown): string {
  if (error instanceof ApiError)
    return wordsOf({ message: error.message, remedy: remedyUnderServe(error) ?? error.remedy });
  if (error instanceof EdgewiseError) return wordsOf(error);
  // An unexpected message may hold anything.
  return `this is a bug in edgewise (${error instanceof Error ? error.name : typeof error}): please report it`;
}

function remedyUnderServe({ status }: ApiError): string | null {
  if (status === 401 || status === 403)
    return "Check the account's `key` in the fleet file, and what it is permitted to do";
  if (status === 429) return "Set the account's `requestsPerMinute` in the fleet file below the service's limit";
  return null;
}
