import { createHmac } from "node:crypto";
import type { Result } from "../apply/result.js";
import { receiverUrl } from "../config/api-config.js";
import type { NotifyConfig } from "../config/config.js";
import { EdgewiseError } from "../core/errors.js";
import { type Drift, isDrift } from "../plan/drift-findings.js";
import type { Redactor } from "../redact.js";
import { count, cut } from "../core/text.js";
import { visibleLine } from "../core/visible.js";
import type { Env } from "./ci-host.js";
import type { SendRequest } from "./host-api.js";

type Notice = Readonly<{
  event: NotifyConfig["on"][number];
  summary: string;
  details: readonly string[];
  outcome: Result["outcome"] | null;
}>;

type NoticeOrigin = Readonly<{
  stack: string;
  commit: string | null;
  by: string;
  run: string | null;
}>;

export function driftNotice({ findings }: Drift): Notice | null {
  const found = findings.filter(isDrift);
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

export function resultNotice({ operations, outcome }: Result): Notice | null {
  if (outcome === "nothing") return null;
  const failed = operations.filter(({ status }) => status !== "done");
  const summary = `${endings[outcome]}, ${operations.length - failed.length} of ${operations.length} operations done`;
  const shown = outcome === "applied" ? operations : failed;
  const details = shown.map(({ address, status }) => `${address}: ${status}`);
  return { event: outcome === "applied" ? "applied" : "failed", summary, details, outcome };
}

export const failureNotice: Notice = { event: "failed", summary: "it failed", details: [], outcome: null };

const signs = { drift: "🟠", applied: "🟢", failed: "🔴" } as const;

const mostListed = 8;

/** Nothing in it is a link, markup or a mention for Slack. */
function bodyOf(notice: Notice, origin: NoticeOrigin, type: NotifyConfig["type"]) {
  const plain = (text: string) => visibleLine(cut(text, 300));
  const { by, commit, run } = origin;
  const details = notice.details.map(plain);
  const more = details.length - mostListed;
  const made = [commit === null ? null : `commit ${commit.slice(0, 12)}`, `by ${plain(by)}`, run];
  const text = [
    `${signs[notice.event]} ${plain(origin.stack)}: ${notice.summary}`,
    ...details.slice(0, mostListed).map((detail) => `• ${detail}`),
    ...(more > 0 ? [`• and ${more} more`] : []),
    made.filter((part) => part !== null).join(", "),
  ].join("\n");
  if (type === "slack") {
    const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    return { text: escaped, mrkdwn: false, link_names: false, unfurl_links: false, unfurl_media: false };
  }
  const said = { ...notice, ...origin, stack: plain(origin.stack), by: plain(by), details: details.slice(0, 100) };
  return { format: "edgewise.pipeline-notification/v1", ...said, count: details.length, text };
}

/** Returns why it was in vain, without the address, which is a secret; null = it was told. */
export async function postNotice(
  notice: Notice,
  origin: NoticeOrigin,
  receiver: NotifyConfig,
  { env, now, redactor }: Readonly<{ env: Env; now: () => number; redactor: Redactor }>,
  send: SendRequest,
): Promise<string | null> {
  const [url, secret] = [receiver.url, receiver.secret].map((name) => (name === null ? null : (env[name] ?? "")));
  for (const each of [url, secret]) redactor.addSecret(each ?? "");
  if (!url || secret === "") return `${url ? (receiver.secret ?? "") : receiver.url} is not set`;
  const to = receiverUrl(url);
  if (to === null) return "its URL is neither https, nor http on this machine";
  const body = JSON.stringify(bodyOf(notice, origin, receiver.type));
  const time = String(Math.floor(now() / 1000));
  const mac = createHmac("sha256", secret ?? "").update(`${time}.${body}`);
  const signed = { "x-edgewise-timestamp": time, "x-edgewise-signature": `sha256=${mac.digest("hex")}` };
  const headers = { "content-type": "application/json", "user-agent": "edgewise", ...(secret && signed) };
  try {
    const answer = await send({ method: "POST", url: to, headers, body });
    if (answer.type === "failure") return answer.message;
    return answer.status >= 200 && answer.status < 300 ? null : `it answers ${answer.status}`;
  } catch (error) {
    if (error instanceof EdgewiseError) return error.message;
    throw error;
  }
}
