import { count } from "../core/text.js";
import type { ServeEvent } from "./serve-events.js";

export type EventLevel = "debug" | "info" | "warning" | "error";

export interface DescribedEvent {
  readonly level: EventLevel;
  readonly message: string;
}

type StateChanged = Extract<ServeEvent, { event: "state-changed" }>;

/** An event for people; null = it is for metrics alone, as each request is. Texts in it are not made harmless yet. */
export function describeEvent(event: ServeEvent): DescribedEvent | null {
  switch (event.event) {
    case "request":
      return null;
    case "serve-started":
      return info(
        `${event.fleet}: ${event.stacks === 0 ? "no stack known yet" : count(event.stacks, "stack")} in ${count(event.accounts, "account")}, shown at ${event.url}`,
      );
    case "state-damaged":
      return warning(event.message);
    case "fleet-loaded":
      return info(`${event.fleet}: read again, ${count(event.stacks, "stack")}`);
    case "fleet-refused":
      return error(`${event.fleet} is refused, and the fleet stays as it was: ${event.message}`);
    case "restart-needed":
      return warning(`${event.fleet}: ${event.message}`);
    case "source-fetched":
      return debug(`source ${event.source}: fetched, at ${short(event.commit)}, ${seconds(event.ms)}`);
    case "source-followed":
      return info(
        `source ${event.source}: ${short(event.commit)} is followed, ${count(event.stacks, "stack")} to look at`,
      );
    case "source-failed":
      return warning(`source ${event.source}: ${event.message} (${event.code})`);
    case "source-recovered":
      return info(`source ${event.source}: can be followed again, at ${short(event.commit)}`);
    case "account-looked":
      return debug(`account ${event.account}: looked at ${count(event.stacks, "stack")}, ${seconds(event.ms)}`);
    case "stack-looked":
      return debug(`${event.stack}: ${stateWords(event.state, event.reason)}${atCommit(event.commit)}`);
    case "state-changed":
      return describeState(event);
    case "stack-forgotten":
      return info(`${event.stack}: forgotten`);
    case "apply-started":
      return info(
        `${event.stack}: applying ${count(event.operations, "operation")} of ${short(event.commit)}, impact ${event.impact}`,
      );
    case "apply-ended":
      return describeApply(event);
    case "approval-spent":
      return info(
        `${event.stack}: ${event.approver} approved ${short(event.digest)}, with the tag ${short(event.tag)}`,
      );
    case "brake-engaged":
      return warning(`account ${event.account}: automatic writes are paused: ${event.message}`);
    case "brake-released":
      return info(`account ${event.account}: automatic writes resume, the brake ${event.id} is released`);
    case "rate-limited":
      return warning(
        `account ${event.account}: the service limits the rate, all requests pause for ${seconds(event.pauseMs)}`,
      );
    case "service-silent":
      return warning(`account ${event.account}: the service gives no answer; it is asked again`);
    case "database-unencrypted":
      return warning(
        "the database's sslmode lets the password and all data go unencrypted, and off this machine; use sslmode=verify-full",
      );
    case "store-failed":
      return error(`the state can't be saved, nothing is written to the service until it can: ${event.message}`);
    case "store-recovered":
      return info("the state can be saved again");
    case "notify-failed":
      return warning(`notifications to ${event.receiver} can't be delivered, and are tried again: ${event.message}`);
    case "notify-recovered":
      return info(`notifications to ${event.receiver} are delivered again`);
    case "answer-failed":
      return error(`an answer over HTTP: ${event.message}`);
    case "bug":
      return error(`${event.subject}: ${event.message}. The loop goes on. Please report it with this message.`);
    case "stopping":
      return info(`${event.signal}: nothing new begins, and what runs ends. Another signal cuts it off.`);
    case "serve-ended":
      return info("everything has ended, and its state is saved");
  }
}

function describeState({ stack, from, to, reason, commit, message }: StateChanged): DescribedEvent {
  // It waits for something else now.
  const change = from === to ? `now ${stateWords(to, reason)}` : `${from} → ${stateWords(to, reason)}`;
  const text = `${stack}: ${change}${atCommit(commit)}${message === "" ? "" : `: ${message}`}`;
  if (to === "failed") return error(text);
  return to === "refused" || to === "orphaned" ? warning(text) : info(text);
}

function describeApply({
  stack,
  commit,
  outcome,
  verified,
  ms,
}: Extract<ServeEvent, { event: "apply-ended" }>): DescribedEvent {
  const proof = verified === null ? "" : verified ? ", verified" : ", not as planned when looked at again";
  const text = `${stack}: apply of ${short(commit)} ended: ${outcome}${proof}, ${seconds(ms)}`;
  return verified === false ? error(text) : info(text);
}

function stateWords(state: string, reason: string | null): string {
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

const debug = (message: string): DescribedEvent => ({ level: "debug", message });
const info = (message: string): DescribedEvent => ({ level: "info", message });
const warning = (message: string): DescribedEvent => ({ level: "warning", message });
const error = (message: string): DescribedEvent => ({ level: "error", message });
