import type { Plan } from "../../../plan/plan-format.js";
import { escapeHtmlLine } from "../../../report/escape.js";
import type { HtmlPage } from "../../../report/html-page.js";
import { planView } from "../../../report/plan-view.js";
import { viewHtml } from "../../../report/report-html.js";
import { count, shellWord, spanOf } from "../../../core/text.js";
import type { HistoryEntry, StackState, WaitReason } from "../../records.js";
import type { HistoryPage } from "../../store/store.js";
import type { ShownStack } from "../shown-stack.js";
import { commitHtml, impactHtml, servePage, staleHtml, stateHtml, timeHtml } from "./page-frame.js";

interface StackDetails {
  readonly stack: ShownStack;
  readonly approvable: boolean;
  readonly plan: Plan | "damaged" | null;
  readonly history: HistoryPage | "damaged";
  readonly origin: string;
  readonly now: number;
}

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
  const { means, todo } = adviceFor(state, reason);
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
  const waits = changes.commit + changes.drift + changes.both;
  const origins = [
    ...(changes.commit === 0 ? [] : [`${changes.commit} from a commit`]),
    ...(changes.drift === 0 ? [] : [`${changes.drift} changed live`]),
    ...(changes.both === 0 ? [] : [`${changes.both} on both sides, or nobody knows`]),
  ].join(", ");
  const full = (id: string | null): string => (id === null ? "none yet" : `<code>${escapeHtmlLine(id)}</code>`);
  return [
    ["In this state since", timeHtml(since)],
    ["Looked at", ageSeconds === null ? "never" : `${spanOf(ageSeconds)} ago, every ${spanOf(stack.intervalSeconds)}`],
    ["Next look", Date.parse(stack.nextLook) > now ? timeHtml(stack.nextLook) : "due now"],
    ["At commit", full(commit)],
    ["Last in sync with", full(appliedCommit)],
    ["Not applied", waits === 0 ? "nothing" : `${count(waits, "change")} (${origins}) ${impactHtml(impact)}`],
    ...(uncomparedSecrets === 0
      ? []
      : [["Secrets", `${count(uncomparedSecrets, "secret")} can't be compared with live`] as const]),
  ];
}

const mostDrawn = 500;

function planSection({ plan }: StackDetails): string {
  if (plan === "damaged")
    return '<section id="plan" data-hash="damaged"><h2>Plan</h2>\n<p>It can\'t be read now. The log of edgewise serve says why.</p></section>';
  if (plan === null)
    return '<section id="plan" data-hash="none"><h2>Plan</h2>\n<p>The last look found nothing to do.</p></section>';
  const { changes, operations } = plan;
  const cut = changes.length > mostDrawn || operations.length > mostDrawn;
  const note = cut
    ? `<p class="headline">This plan is large: it has ${count(changes.length, "change")} and ${count(operations.length, "operation")}. The first ${mostDrawn} of each are shown; <code>/api/stacks/NAME/plan</code> gives all.</p>`
    : "";
  const drawn = cut
    ? { ...plan, changes: changes.slice(0, mostDrawn), operations: operations.slice(0, mostDrawn) }
    : plan;
  return `<section id="plan" class="plan" data-hash="${escapeHtmlLine(plan.hash)}">${viewHtml(planView(drawn), "h2")}\n${note}</section>`;
}

function historyHtml(history: StackDetails["history"]): string {
  if (history === "damaged") return "<p>It can't be read now. The log of edgewise serve says why.</p>";
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
  const { at, commit, event, impact, message, operations, outcome } = entry;
  const said = message === "" ? "" : `<span class="said">${escapeHtmlLine(message)}</span>`;
  const cells = [
    `<td class="tight">${timeHtml(at)}</td>`,
    `<td class="who"><b>${escapeHtmlLine(event === "state" ? outcome : `${event}: ${outcome}`)}</b>${operations.length === 0 ? "" : `, ${count(operations.length, "operation")}`}${approverHtml(entry)}${said}</td>`,
    `<td class="tight">${impactHtml(impact)}</td>`,
    `<td class="tight">${commitHtml(commit)}</td>`,
  ];
  return `<tr>${cells.join("")}</tr>`;
}

function approverHtml({ approval }: HistoryEntry): string {
  return approval === null ? "" : `, approved by ${escapeHtmlLine(approval.approver)}`;
}

function approvalHtml({ approvable, origin, stack }: StackDetails): string {
  const { digest, name, reason, state } = stack;
  // It is there while there is nothing to approve, so that what begins to wait meanwhile appears.
  const part = (content: string): string => `<section id="approval" data-live>${content}</section>`;
  if (state !== "waiting" || (reason !== "approval" && digest === null)) return part("");
  const heading = "<h2>Approve</h2>\n";
  if (!approvable) {
    return part(
      `${heading}<p>Nobody can approve here: the operator names those who may in the fleet file (<code>approvers:</code>).</p>`,
    );
  }
  const server = `--server ${shellWord(origin)}`;
  // A name may begin as a flag does.
  const command = `edgewise approve ${name.startsWith("-") ? `${server} -- ${shellWord(name)}` : `${shellWord(name)} ${server}`}`;
  const first = `<p>In a clone of the source <b>${escapeHtmlLine(stack.source)}</b>; it shows the plan, asks, signs and pushes:</p>\n${commandHtml(command)}`;
  if (digest === null) return part(`${heading}${first}`);
  const tag = `edgewise/approve/${name}/${digest}/YOU`;
  const signs = `git -c gpg.format=ssh tag -s ${shellWord(tag)} -m "why"`;
  const pushes = `git push origin ${shellWord(`refs/tags/${tag}`)}`;
  return part(`${heading}${first}
<p>Or with git alone, where <code>YOU</code> is your name in the file of approvers. Deleting the tag before it is used takes it back.</p>
${commandHtml(`${signs}\n${pushes}`)}
<p class="soft">It approves exactly what waits now: <code>${escapeHtmlLine(digest)}</code></p>`);
}

function commandHtml(text: string): string {
  const lines = text.split("\n").map(escapeHtmlLine);
  return `<pre class="command" tabindex="0">${lines.join("\n")}</pre>`;
}

/** docs/serve/states.md shows the same. */
interface StateAdvice {
  readonly means: string;
  readonly todo: string;
}

const stateAdvice: { readonly [S in Exclude<StackState, "waiting">]: StateAdvice } = {
  failed: {
    means: "the last pass did not succeed, or the stack can't be looked at",
    todo: "read its message, and correct the commit, the fleet file or the key. It is tried again soon, by itself",
  },
  refused: {
    means: "a guard stopped the whole plan, or only the deletion of what another stack still refers to",
    todo: "do what its message says: correct the commit, or let the operator allow it in the fleet file, where that is possible",
  },
  unknown: {
    means: "it was never looked at, or not for three intervals",
    todo: "see in the log whether its source and its account can be reached",
  },
  orphaned: {
    means: "nothing describes it any more; nothing of it is deleted",
    todo: "describe it again. If it is gone on purpose, list it under forgotten: in the fleet file; only edgewise destroy empties it",
  },
  pending: { means: "what differs is allowed, and on its way", todo: "nothing. With --dry-run it stays so" },
  synced: { means: "live matches Git", todo: "nothing" },
};

const waitAdvice: { readonly [R in WaitReason]: StateAdvice } = {
  approval: {
    means: "the change exceeds the automatic limit",
    todo: "read its plan and approve it with a signed tag, or correct the commit",
  },
  window: { means: "it is outside of its windows", todo: "nothing: it goes on when the next one opens" },
  suspended: {
    means: "the operator suspended it",
    todo: "nothing until the suspension ends. The operator can end it in the fleet file",
  },
  paused: { means: "the operator paused the whole fleet", todo: "let the operator set pause: false in the fleet file" },
  brake: {
    means: "too much changed by itself at once, or somebody else keeps writing the same field",
    todo: "find out who changes it. It resumes after one quiet interval, or when the operator releases the brake by its id",
  },
  locked: {
    means: "somebody else holds the lock of the account",
    todo: "wait until they have finished: it looks again within a minute. A lock that was left behind is removed by edgewise unlock",
  },
  rewound: {
    means: "the branch no longer descends from the commit that was followed",
    todo: "see who forced it. To follow it, list its tip under accept:, or pin: a commit, in the fleet file",
  },
};

function adviceFor(state: StackState, reason: WaitReason | null): StateAdvice {
  if (state !== "waiting") return stateAdvice[state];
  return reason === null ? { means: "it waits", todo: "read its message" } : waitAdvice[reason];
}
