import type { Plan } from "../../../plan/plan-format.js";
import { escapeHtmlLine } from "../../../report/escape.js";
import type { HtmlPage } from "../../../report/html-page.js";
import { planView } from "../../../report/plan-view.js";
import { viewHtml } from "../../../report/report-html.js";
import { count, shellWord, spanOf } from "../../../core/text.js";
import type { HistoryEntry, StackState, WaitReason } from "../../records.js";
import type { HistoryPage } from "../../store/store.js";
import { type ShownStack, waitingChanges } from "../shown-stack.js";
import {
  askedHtml,
  commitHtml,
  impactHtml,
  messageHtml,
  servePage,
  staleHtml,
  stateHtml,
  tableHtml,
  timeHtml,
} from "./page-frame.js";

type StackDetails = Readonly<{
  stack: ShownStack;
  approvable: boolean;
  plan: Plan | null;
  history: HistoryPage;
  origin: string;
  now: number;
}>;

export function stackPage(details: StackDetails): HtmlPage {
  const { stack, history } = details;
  const { name, state } = stack;
  const main = `<a href="../">Fleet</a>
${staleHtml}
<div id="now" data-live>
${nowHtml(details)}
</div>
${approvalHtml(details)}
${planSection(details)}
<section id="history" data-live><h2>History</h2>
${historyHtml(history)}
</section>`;
  return servePage(`${state}: ${name}`, main);
}

function nowHtml({ stack, now }: StackDetails): string {
  const { message, name, reason, state } = stack;
  return `<header><h1>${escapeHtmlLine(name)}</h1>
<div class="meta"><span>account ${escapeHtmlLine(stack.account)}</span><span>source ${escapeHtmlLine(stack.source)}</span><span>${askedHtml(now)}</span></div></header>
<div class="headline ${state}">${stateHtml(state, reason)}${escapeHtmlLine(message)}
<p>To do: ${todo[reason ?? state]}.</p></div>
<dl class="facts">${factsOf(stack, now)
    .map(([term, fact]) => `<dt>${term}</dt><dd>${fact}</dd>`)
    .join("\n")}</dl>`;
}

function factsOf(stack: ShownStack, now: number): readonly (readonly [string, string])[] {
  const { ageSeconds, appliedCommit, changes, commit, impact, since, uncomparedSecrets } = stack;
  const origins = [
    [changes.commit, "from a commit"],
    [changes.drift, "changed live"],
    [changes.both, "on both sides, or nobody knows"],
  ] as const;
  const said = origins.flatMap(([number, origin]) => (number === 0 ? [] : [`${number} ${origin}`])).join(", ");
  const full = (id: string | null): string => (id === null ? "none yet" : `<code>${escapeHtmlLine(id)}</code>`);
  return [
    ["In this state since", timeHtml(since)],
    ["Looked at", ageSeconds === null ? "never" : `${spanOf(ageSeconds)} ago, every ${spanOf(stack.intervalSeconds)}`],
    ["Next look", Date.parse(stack.nextLook) > now ? timeHtml(stack.nextLook) : "due now"],
    ["At commit", full(commit)],
    ["Last in sync with", full(appliedCommit)],
    [
      "Not applied",
      said === "" ? "nothing" : `${count(waitingChanges(stack), "change")} (${said}) ${impactHtml(impact)}`,
    ],
    ...(uncomparedSecrets === 0
      ? []
      : [["Secrets", `${count(uncomparedSecrets, "secret")} can't be compared with live`] as const]),
  ];
}

const mostDrawn = 500;

function planSection({ plan }: StackDetails): string {
  if (plan === null)
    return '<section id="plan" data-hash="none"><h2>Plan</h2>\n<p>The last look found nothing to do.</p></section>';
  const { changes, operations } = plan;
  const isLarge = changes.length > mostDrawn || operations.length > mostDrawn;
  const drawn = { ...plan, changes: changes.slice(0, mostDrawn), operations: operations.slice(0, mostDrawn) };
  const note = isLarge
    ? `<p class="headline">This plan is large: it has ${count(changes.length, "change")} and ${count(operations.length, "operation")}. The first ${mostDrawn} of each are shown; <code>/api/stacks/NAME/plan</code> gives all.</p>`
    : "";
  return `<section id="plan" class="plan" data-hash="${escapeHtmlLine(plan.hash)}">${viewHtml(planView(drawn), "h2")}\n${note}</section>`;
}

function historyHtml({ entries, next }: HistoryPage): string {
  if (entries.length === 0) return '<p class="soft">Nothing has happened yet.</p>';
  const older =
    next === null ? "" : `<nav class="pager"><a href="?after=${encodeURIComponent(next)}#history">Older</a></nav>`;
  return tableHtml(["When", "What", "Impact", "Commit"], entries.map(entryCells)) + older;
}

function entryCells(entry: HistoryEntry): readonly string[] {
  const { approval, at, commit, event, impact, message, operations, outcome } = entry;
  const did = operations.length === 0 ? "" : `, ${count(operations.length, "operation")}`;
  const approver = approval === null ? "" : `, approved by ${escapeHtmlLine(approval.approver)}`;
  const what = escapeHtmlLine(event === "state" ? outcome : `${event}: ${outcome}`);
  return [
    timeHtml(at),
    `<b>${what}</b>${did}${approver}${messageHtml(message)}`,
    impactHtml(impact),
    commitHtml(commit),
  ];
}

function approvalHtml({ approvable, origin, stack }: StackDetails): string {
  const { digest, name, reason, state } = stack;
  // Empty, it is filled when something begins to wait.
  const part = (...content: readonly string[]): string =>
    `<section id="approval" data-live>${content.join("\n")}</section>`;
  if (state !== "waiting" || (reason !== "approval" && digest === null)) return part();
  const heading = "<h2>Approve</h2>";
  if (!approvable)
    return part(
      heading,
      "<p>Nobody can approve here: the operator names those who may in the fleet file (<code>approvers:</code>).</p>",
    );
  const [word, server] = [shellWord(name), `--server ${shellWord(origin)}`];
  // A name may begin as a flag does.
  const command = `edgewise approve ${name.startsWith("-") ? `${server} -- ${word}` : `${word} ${server}`}`;
  const first = [
    heading,
    `<p>In a clone of the source <b>${escapeHtmlLine(stack.source)}</b>; it shows the plan, asks, signs and pushes:</p>`,
    commandHtml(command),
  ];
  if (digest === null) return part(...first);
  const tag = `edgewise/approve/${name}/${digest}/YOU`;
  const signs = `git -c gpg.format=ssh tag -s ${shellWord(tag)} -m "why"`;
  return part(
    ...first,
    "<p>Or with git alone, where <code>YOU</code> is your name in the file of approvers. Deleting the tag before it is used takes it back.</p>",
    commandHtml(signs, `git push origin ${shellWord(`refs/tags/${tag}`)}`),
    `<p class="soft">It approves exactly what waits now: <code>${escapeHtmlLine(digest)}</code></p>`,
  );
}

function commandHtml(...lines: readonly string[]): string {
  return `<pre class="card plain command" tabindex="0">${lines.map(escapeHtmlLine).join("\n")}</pre>`;
}

/** As in docs/serve/states.md. */
const todo: { readonly [S in StackState | WaitReason]: string } = {
  failed: "correct what its message names: the commit, the fleet file or the key. It is tried again soon",
  refused: "correct the commit, or let the operator allow it in the fleet file",
  unknown: "see in the log whether its source and its account can be reached",
  orphaned: "describe it again, or list it under forgotten: in the fleet file. Only edgewise destroy empties it",
  pending: "nothing. With --dry-run it stays so",
  synced: "nothing",
  waiting: "read its message",
  approval: "read its plan and approve it with a signed tag, or correct the commit",
  window: "nothing: it goes on when the next one opens",
  suspended: "nothing, or let the operator end the suspension in the fleet file",
  paused: "let the operator set pause: false in the fleet file",
  brake: "find out who changes it. It resumes after one quiet interval, or when the operator releases the brake",
  locked: "wait: it looks again within a minute. edgewise unlock removes a lock that was left behind",
  rewound: "see who forced it. To follow it, list its tip under accept: in the fleet file, or pin: a commit",
};
