import { escapeHtmlLine } from "../../../report/escape.js";
import { shellWord } from "../../../core/shell-word.js";
import type { ShownStack } from "../shown-stack.js";

/** What is approved, and where. */
export interface Approving {
  readonly stack: ShownStack;
  /** Whether anybody can approve; null = nobody knows. */
  readonly approvable: boolean | null;
  /** `https://edgewise.example.com`. */
  readonly origin: string;
}

/** The exact commands that approve what waits; an empty part while nothing does. */
export function approvalHtml({ approvable, origin, stack }: Approving): string {
  const { digest, name, reason, state } = stack;
  // It is there while there is nothing to approve, so that what begins to wait meanwhile appears.
  const part = (content: string): string => `<section id="approval" data-live>${content}</section>`;
  if (state !== "waiting" || (reason !== "approval" && digest === null)) return part("");
  const heading = "<h2>Approve</h2>\n";
  if (approvable === false) {
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
