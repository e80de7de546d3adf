import { escapeHtml, escapeHtmlLine } from "../../../report/escape.js";
import type { Impact } from "../../../kinds/impact.js";
import type { StackState, WaitReason } from "../../records.js";
import { type HtmlPage, htmlPage } from "../../../report/html-page.js";

const refreshSeconds = 15;

export function servePage(title: string, main: string): HtmlPage {
  return htmlPage(title, main, {
    style: pageStyle,
    script: refreshScript,
    head: `<link rel="icon" href="data:,">\n<noscript><meta http-equiv="refresh" content="${2 * refreshSeconds}"></noscript>\n`,
    policy: ["img-src data:", "connect-src 'self'", "form-action 'self'"],
  });
}

/** The text is our own. */
export function problemPage(status: number, text: string, home: string): HtmlPage {
  const title = status === 404 ? "There is no such stack" : "That can't be read";
  return htmlPage(title, `<a href="${home}">Fleet</a>\n<h1>${title}</h1>\n<p class="headline">${text}</p>`);
}

export function timeHtml(at: string, attributes = ""): string {
  const text = `${at.slice(0, 19).replace("T", " ")} UTC`;
  return `<time datetime="${escapeHtmlLine(at)}"${attributes}>${escapeHtmlLine(text)}</time>`;
}

export function askedHtml(now: number): string {
  return `as of ${timeHtml(new Date(now).toISOString(), " data-asked")}`;
}

export function stateHtml(state: StackState, reason: WaitReason | null): string {
  const words = reason === null ? state : `${state}: ${reason}`;
  return `<span class="state ${state}">${words}</span>`;
}

export function impactHtml(impact: Impact): string {
  return impact === "none" ? "" : `<span class="badge ${impact}">${impact}</span>`;
}

export function commitHtml(commit: string | null): string {
  if (commit === null) return '<span class="soft">–</span>';
  return `<code title="${escapeHtmlLine(commit)}">${escapeHtmlLine(commit.slice(0, 12))}</code>`;
}

export function tableHtml(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = headings.map((heading) => `<th scope="col">${heading}</th>`).join("");
  const lines = rows.map((cells) => {
    const row = cells.map((cell, column) => `<td${column === 1 ? "" : ' class="tight"'}>${cell}</td>`);
    return `<tr>${row.join("")}</tr>`;
  });
  return `<table class="fleet wide"><thead><tr>${head}</tr></thead>\n<tbody>\n${lines.join("\n")}\n</tbody></table>`;
}

export function messageHtml(message: string): string {
  return message === "" ? "" : `<div class="soft">${escapeHtmlLine(message)}</div>`;
}

export function segmentOf(name: string): string {
  return escapeHtml(encodeURIComponent(name));
}

export const staleHtml = '<p class="headline failed" id="stale" role="alert" hidden></p>';

const pageStyle = `
.tiles li:has(a[aria-current]){border-color:var(--focus)}
.search{display:flex;gap:8px;margin-top:16px}
.search input{flex:0 1 420px}
.synced{--state:var(--add)}
.pending{--state:var(--ado)}
.waiting{--state:var(--mod)}
.failed,.refused{--state:var(--del)}
.orphaned{--state:var(--rep)}
.state{font-size:.8rem;padding:1px 9px;margin-right:8px;border-radius:99px;white-space:nowrap;background:var(--tint);color:var(--state,var(--soft));font-weight:600}
.headline{border-left-color:var(--state,var(--soft))}
table.fleet{margin-top:16px}
table.fleet tr:hover{background:var(--hover)}
table.fleet td.tight{width:1%}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:4px 18px;margin-top:18px}
.facts dt{color:var(--soft)}.facts dd{margin:0}
.command{white-space:pre-wrap;user-select:all}
.pager{display:flex;gap:18px;margin-top:14px}
section.plan>header{margin-top:34px}
`;

/** Nothing on the page may look newer than it is. */
const refreshScript = `
(() => {
  const stale = document.getElementById("stale");
  let loading = false;
  const load = async () => {
    if (document.hidden || loading) return;
    loading = true;
    try {
      const response = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout(20000) });
      if (!response.ok) throw new Error("answers " + response.status);
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const active = document.activeElement;
      for (const old of document.querySelectorAll("[data-live]")) {
        const next = page.getElementById(old.id);
        if (!next || next.outerHTML === old.outerHTML) continue;
        const holds = old.contains(active) ? active.getAttribute("href") : null;
        old.replaceWith(next);
        if (holds !== null) next.querySelector("[href=" + CSS.escape(holds) + "]")?.focus({ preventScroll: true });
      }
      const plan = document.getElementById("plan");
      stale.hidden = !plan || page.getElementById("plan")?.dataset.hash === plan.dataset.hash;
      stale.textContent = "The plan has changed since this page was opened: reload it.";
    } catch (error) {
      stale.hidden = false;
      const how = error.message.startsWith("answers ") ? error.message : "does not answer";
      stale.textContent = "edgewise serve " + how + ". This is how it was at " + document.querySelector("time[data-asked]").textContent + ".";
    }
    loading = false;
  };
  setInterval(load, ${refreshSeconds * 1000});
  document.addEventListener("visibilitychange", load);
})();
`;
