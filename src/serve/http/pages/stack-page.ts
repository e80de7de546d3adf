import type { Plan } from "../../../plan/plan-format.js";
import { escapeHtmlLine } from "../../../report/escape.js";
import type { HtmlPage } from "../../../report/html-page.js";
import { planView } from "../../../report/plan-view.js";
import { viewHtml } from "../../../report/report-html.js";
import { count, shellWord, spanOf } from "../../../core/text.js";
import type { HistoryEntry, StackState, WaitReason } from "../../records.js";
import type { HistoryPage } from "../../store/store.js";
import { type ShownStack, waitingChanges } from "../shown-stack.js";
import { commitHtml, impactHtml, servePage, staleHtml, stateHtml, timeHtml } from "./page-frame.js";

type StackDetails = Readonly<{
  stack: ShownStack;
  approvable: boolean;
  plan: Plan | "damaged" | null;
  history: HistoryPage | "damaged";
  origin: string;
  now: number;
}>;

export function stackPage(details: StackDetails): HtmlPage {
  const { stack, history } = details;
  const { name, state } = stack;
  const main = `<nav class="crumbs"><a href="../">Fleet</a></nav>
${staleHtml}
<div id="now" data-live>
${nowHtml(details)}
</div>
${approvalHtml(details)}
${planSection(details)}
<section id="history" data-live><h2>History</h2>
${historyHtml(history)}
</section>`;
  return servePage(`${state}: ${name}`, main, { refreshes: true });
}

function nowHtml({ stack, now }: StackDetails): string {
  const { message, name, reason, state } = stack;
  const [means, todo] = advice[reason ?? state];
  return `<header><h1>${escapeHtmlLine(name)}</h1>
<div class="meta"><span>account ${escapeHtmlLine(stack.account)}</span><span>source ${escapeHtmlLine(stack.source)}</span><span>as of ${timeHtml(new Date(now).toISOString(), " data-asked")}</span></div></header>
<div class="headline ${state}">${stateHtml(state, reason)}${escapeHtmlLine(message)}
<p class="soft">This means: ${escapeHtmlLine(means)}.</p>
<p><b>To do:</b> ${escapeHtmlLine(todo)}.</p></div>
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
  const section = (hash: string, content: string, attributes = ""): string =>
    `<section id="plan"${attributes} data-hash="${escapeHtmlLine(hash)}">${content}</section>`;
  if (plan === null) return section("none", "<h2>Plan</h2>\n<p>The last look found nothing to do.</p>");
  if (plan === "damaged") return section(plan, `<h2>Plan</h2>\n${damagedHtml}`);
  const { changes, operations } = plan;
  const isLarge = changes.length > mostDrawn || operations.length > mostDrawn;
  const drawn = { ...plan, changes: changes.slice(0, mostDrawn), operations: operations.slice(0, mostDrawn) };
  const note = isLarge
    ? `<p class="headline">This plan is large: it has ${count(changes.length, "change")} and ${count(operations.length, "operation")}. The first ${mostDrawn} of each are shown; <code>/api/stacks/NAME/plan</code> gives all.</p>`
    : "";
  return section(plan.hash, `${viewHtml(planView(drawn), "h2")}\n${note}`, ' class="plan"');
}

const damagedHtml = "<p>It can't be read now. The log of edgewise serve says why.</p>";

function historyHtml(history: StackDetails["history"]): string {
  if (history === "damaged") return damagedHtml;
  const { entries, next } = history;
  if (entries.length === 0) return '<p class="soft">Nothing has happened yet.</p>';
  const older =
    next === null ? "" : `<nav class="pager"><a href="?after=${encodeURIComponent(next)}#history">Older</a></nav>`;
  return `<table class="fleet"><thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">Impact</th><th scope="col">Commit</th></tr></thead>
<tbody>
${entries.map(entryHtml).join("\n")}
</tbody></table>${older}`;
}

function entryHtml(entry: HistoryEntry): string {
  const { approval, at, commit, event, impact, message, operations, outcome } = entry;
  const said = message === "" ? "" : `<span class="said">${escapeHtmlLine(message)}</span>`;
  const did = operations.length === 0 ? "" : `, ${count(operations.length, "operation")}`;
  const approver = approval === null ? "" : `, approved by ${escapeHtmlLine(approval.approver)}`;
  const cells = [
    `<td class="tight">${timeHtml(at)}</td>`,
    `<td class="who"><b>${escapeHtmlLine(event === "state" ? outcome : `${event}: ${outcome}`)}</b>${did}${approver}${said}</td>`,
    `<td class="tight">${impactHtml(impact)}</td>`,
    `<td class="tight">${commitHtml(commit)}</td>`,
  ];
  return `<tr>${cells.join("")}</tr>`;
}

function approvalHtml({ approvable, origin, stack }: StackDetails): string {
  const { digest, name, reason, state } = stack;
  // It is there while there is nothing to approve, so that what begins to wait meanwhile appears.
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
  return `<pre class="command" tabindex="0">${lines.map(escapeHtmlLine).join("\n")}</pre>`;
}

/** What a state means and what to do, as in docs/serve/states.md. */
const advice: { readonly [S in StackState | WaitReason]: readonly [means: string, todo: string] } = {
  failed: [
    "the last pass did not succeed, or the stack can't be looked at",
    "correct what its message names: the commit, the fleet file or the key. It is tried again soon",
  ],
  refused: [
    "a guard stopped the whole plan, or only the deletion of what another stack still refers to",
    "correct the commit, or let the operator allow it in the fleet file",
  ],
  unknown: [
    "it was never looked at, or not for three intervals",
    "see in the log whether its source and its account can be reached",
  ],
  orphaned: [
    "nothing describes it any more; nothing of it is deleted",
    "describe it again, or list it under forgotten: in the fleet file. Only edgewise destroy empties it",
  ],
  pending: ["what differs is allowed, and on its way", "nothing. With --dry-run it stays so"],
  synced: ["live matches Git", "nothing"],
  waiting: ["it waits", "read its message"],
  approval: [
    "the change exceeds the automatic limit",
    "read its plan and approve it with a signed tag, or correct the commit",
  ],
  window: ["it is outside of its windows", "nothing: it goes on when the next one opens"],
  suspended: ["the operator suspended it", "nothing, or let the operator end the suspension in the fleet file"],
  paused: ["the operator paused the whole fleet", "let the operator set pause: false in the fleet file"],
  brake: [
    "too much changed by itself at once, or somebody else keeps writing the same field",
    "find out who changes it. It resumes after one quiet interval, or when the operator releases the brake",
  ],
  locked: [
    "somebody else holds the lock of the account",
    "wait: it looks again within a minute. edgewise unlock removes a lock that was left behind",
  ],
  rewound: [
    "the branch no longer descends from the commit that was followed",
    "see who forced it. To follow it, list its tip under accept: in the fleet file, or pin: a commit",
  ],
};
