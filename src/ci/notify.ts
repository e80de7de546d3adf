import { createHmac } from "node:crypto";
import type { NotifyConfig } from "../config/config.js";
import type { Result } from "../apply/result.js";
import { EdgewiseError } from "../core/errors.js";
import type { Drift } from "../plan/drift-findings.js";
import { isLoopback } from "../config/api-config.js";
import { count, cut } from "../text/layout.js";
import { visibleLine } from "../text/visible.js";
import type { SendRequest } from "./host-api.js";

/** Something that receivers are told. It has no value, no description and no error text, which others may have written. */
export interface Notice {
  readonly event: NotifyConfig["on"][number];
  readonly stack: string;
  readonly summary: string;
  readonly details: readonly string[];
  readonly outcome: Result["outcome"] | null;
  readonly commit: string | null;
  readonly by: string;
  readonly run: string | null;
}

type Told = Pick<Notice, "event" | "summary" | "details" | "outcome">;

/** What there is to tell of a look for drift; null = nothing. */
export function driftNotice({ findings }: Drift): Told | null {
  const found = findings.filter(({ type }) => type !== "pending");
  if (found.length === 0) return null;
  const details = found.map(({ address, type }) => `${address}: ${type}`);
  return { event: "drift", summary: `drift, ${count(found.length, "finding")}`, details, outcome: null };
}

const endings: { readonly [O in Exclude<Result["outcome"], "nothing">]: string } = {
  applied: "applied",
  partial: "applied in part only",
  failed: "not applied",
  refused: "refused, nothing changed",
};

/** The same of an apply. */
export function resultNotice({ operations, outcome }: Result): Told | null {
  if (outcome === "nothing") return null;
  const failed = operations.filter(({ status }) => status !== "done");
  const event = outcome === "applied" ? "applied" : "failed";
  const summary = `${endings[outcome]}, ${operations.length - failed.length} of ${operations.length} operations done`;
  const shown = outcome === "applied" ? operations : failed;
  return { event, summary, details: shown.map(({ address, status }) => `${address}: ${status}`), outcome };
}

/** The same of a step that has no report. */
export const failureNotice: Told = {
  event: "failed",
  summary: "it failed, look at the run",
  details: [],
  outcome: null,
};

const signs = { drift: "🟠", applied: "🟢", failed: "🔴" } as const;

const mostListed = 8;

function textOf({ by, commit, details, event, run, stack, summary }: Notice): string {
  const more = details.length - mostListed;
  const from = [
    ...(commit === null ? [] : [`commit ${commit.slice(0, 12)}`]),
    `by ${by}`,
    ...(run === null ? [] : [run]),
  ];
  const lines = [
    `${signs[event]} ${stack}: ${summary}`,
    ...details.slice(0, mostListed).map((detail) => `• ${detail}`),
    ...(more > 0 ? [`• and ${more} more`] : []),
    from.join(", "),
  ];
  return lines.map((line) => visibleLine(cut(line, 300))).join("\n");
}

/** Slack takes nothing in this for a link, markup or a mention. */
function slackBody(notice: Notice): object {
  const text = textOf(notice).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return { text, mrkdwn: false, link_names: false, unfurl_links: false, unfurl_media: false };
}

function jsonBody(notice: Notice): object {
  const plain = (text: string): string => visibleLine(cut(text, 300));
  return {
    format: "edgewise.pipeline-notification/v1",
    ...notice,
    stack: plain(notice.stack),
    by: plain(notice.by),
    details: notice.details.slice(0, 100).map(plain),
    count: notice.details.length,
    text: textOf(notice),
  };
}

/** What posting to one receiver needs. */
interface Posting {
  readonly type: NotifyConfig["type"];
  readonly url: string;
  /** Signs the body; null = nothing does. */
  readonly secret: string | null;
  readonly now: number;
  readonly send: SendRequest;
}

/** Tells one receiver. Returns why that was in vain, without its address, which is a secret; null = it was told. */
export async function postNotice(notice: Notice, { now, secret, send, type, url }: Posting): Promise<string | null> {
  const to = receiverUrl(url);
  if (to === null) return "its URL is neither https, nor http on this machine";
  const body = JSON.stringify(type === "json" ? jsonBody(notice) : slackBody(notice));
  const time = String(Math.floor(now / 1000));
  const signature = secret === null ? null : createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
  const signed = { "x-edgewise-timestamp": time, "x-edgewise-signature": `sha256=${signature ?? ""}` };
  const headers = { "content-type": "application/json", "user-agent": "edgewise", ...(signature && signed) };
  try {
    const answer = await send({ method: "POST", url: to, headers, body });
    if (answer.type === "failure") return answer.message;
    return answer.status >= 200 && answer.status < 300 ? null : `it answers ${answer.status}`;
  } catch (error) {
    if (error instanceof EdgewiseError) return error.message;
    throw error;
  }
}

function receiverUrl(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
  return isSafe && url.username === "" && url.password === "" ? url : null;
}
