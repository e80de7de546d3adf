import { escapeHtml, escapeHtmlLine } from "../../../report/escape.js";
import type { Impact } from "../../../kinds/impact.js";
import type { StackState, WaitReason } from "../../records.js";
import { type HtmlPage, htmlPage } from "../../../report/html-page.js";

const refreshSeconds = 15;

export function servePage(title: string, main: string, { refreshes }: { readonly refreshes: boolean }): HtmlPage {
  const head = `<link rel="icon" href="data:,">\n`;
  const again = `<noscript><meta http-equiv="refresh" content="${2 * refreshSeconds}"></noscript>\n`;
  return htmlPage(title, main, {
    style: pageStyle,
    script: refreshes ? refreshScript : "",
    head: refreshes ? head + again : head,
    policy: ["img-src data:", "connect-src 'self'", "form-action 'self'"],
  });
}

/** The text is our own. */
export function problemPage(status: number, text: string, home: string): HtmlPage {
  const title = status === 404 ? "There is no such stack" : "That can't be read";
  const main = `<nav class="crumbs"><a href="${home}">Fleet</a></nav>\n<header><h1>${title}</h1></header>\n<p class="headline">${text}</p>`;
  return servePage(title, main, { refreshes: false });
}

export function timeHtml(at: string, attributes = ""): string {
  const text = `${at.slice(0, 19).replace("T", " ")} UTC`;
  return `<time datetime="${escapeHtmlLine(at)}"${attributes}>${escapeHtmlLine(text)}</time>`;
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

export function segmentOf(name: string): string {
  return escapeHtml(encodeURIComponent(name.replace(/\p{Cs}/gu, "\ufffd")));
}

export const staleHtml = '<p class="headline stale" id="stale" role="alert" hidden></p>';

const pageStyle = `
.crumbs{font-size:.88rem;margin-bottom:10px}
.tiles li:has(a[aria-current]){border-color:var(--focus);box-shadow:inset 0 0 0 1px var(--focus)}
.search{display:flex;gap:8px;margin:16px 0 0;align-items:center}
.search input[type=search]{flex:1 1 auto;max-width:420px}
.state{display:inline-block;font-size:.8rem;padding:1px 9px;border-radius:99px;white-space:nowrap;background:var(--tint);color:var(--soft);font-weight:600}
.state.synced{color:var(--add)}
.state.pending{color:var(--ado)}
.state.waiting{color:var(--mod)}
.state.failed,.state.refused{color:var(--del)}
.state.orphaned{color:var(--rep)}
.headline.failed,.headline.refused,.headline.stale{border-left-color:var(--del)}
.headline.waiting{border-left-color:var(--mod)}.headline.synced{border-left-color:var(--add)}
.headline.pending{border-left-color:var(--ado)}.headline.orphaned{border-left-color:var(--rep)}
.headline p{margin:8px 0 0}.headline .state{margin-right:8px}
.headline p b{font-size:inherit;letter-spacing:0;text-transform:none;color:inherit!important;margin:0}
table.fleet{margin-top:16px;background:var(--card);border:1px solid var(--line);border-radius:10px;border-collapse:separate;border-spacing:0;overflow:hidden}
table.fleet th,table.fleet td{padding:7px 12px}
table.fleet tr:last-child>td{border-bottom:0}
table.fleet tbody tr:hover{background:var(--hover)}
table.fleet .said{display:block;color:var(--soft);font-size:.92em;max-width:60ch;margin-top:1px}
table.fleet td.tight,table.fleet .num{width:1%}
table.fleet .num{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:4px 18px;margin:18px 0 0;font-size:.92rem}
.facts dt{color:var(--soft)}.facts dd{margin:0;overflow-wrap:anywhere}
pre.command{margin:6px 0 10px;padding:10px 14px;border:1px solid var(--line);border-radius:8px;background:var(--card);white-space:pre-wrap;overflow-wrap:anywhere;user-select:all}
.pager{margin:14px 0 0;display:flex;gap:18px;flex-wrap:wrap}
section.plan>header{margin-top:34px}section.plan>header>h2{margin-top:0}
section.plan footer{margin-top:20px}
@media (max-width:640px){
table.fleet thead{display:none}table.fleet,table.fleet tbody{display:block}
table.fleet tr{display:flex;flex-wrap:wrap;gap:3px 12px;align-items:baseline;padding:9px 12px;border-bottom:1px solid var(--line)}
table.fleet tr:last-child{border-bottom:0}
table.fleet th,table.fleet td,table.fleet td.tight,table.fleet td.num{display:block;width:auto;border:0;padding:0}
table.fleet td.who{flex:1 1 100%;order:-1}
table.fleet td:empty{display:none}
.facts{grid-template-columns:1fr;gap:0}.facts dd{margin-bottom:6px}}
@media print{.search,.pager{display:none}}
`;

/** Says so when the server no longer answers: nothing on the page may look newer than it is. */
const refreshScript = `
(() => {
  const form = document.querySelector("form.search");
  const box = form && form.querySelector("input[type=search]");
  const stale = document.getElementById("stale");
  let latest = 0;
  const load = async (url) => {
    const mine = ++latest;
    try {
      const response = await fetch(url, { cache: "no-store", signal: AbortSignal.timeout(20000) });
      if (!response.ok) throw new Error("answers " + response.status);
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      if (mine !== latest) return;
      const active = document.activeElement;
      for (const old of document.querySelectorAll("[data-live]")) {
        const next = page.getElementById(old.id);
        if (!next || next.outerHTML === old.outerHTML) continue;
        const holds = old.contains(active) ? active.getAttribute("href") : null;
        old.replaceWith(next);
        if (holds !== null) next.querySelector("[href=" + CSS.escape(holds) + "]")?.focus({ preventScroll: true });
      }
      const plan = document.getElementById("plan");
      const changed = plan && page.getElementById("plan")?.dataset.hash !== plan.dataset.hash;
      stale.hidden = !changed;
      if (changed) stale.textContent = "The plan has changed since this page was opened: reload it.";
    } catch (error) {
      if (mine !== latest) return;
      stale.hidden = false;
      const how = error.message.startsWith("answers ") ? error.message : "does not answer";
      stale.textContent = "edgewise serve " + how + ". This is how it was at " + document.querySelector("time[data-asked]").textContent + ".";
    }
  };
  const wanted = () => {
    if (!form) return location.href;
    const url = new URL(location.href);
    if (box.value.trim() === (url.searchParams.get("q") ?? "")) return url.href;
    url.searchParams.delete("after");
    if (box.value.trim() === "") url.searchParams.delete("q");
    else url.searchParams.set("q", box.value.trim());
    history.replaceState(null, "", url);
    return url.href;
  };
  let timer = 0;
  if (form) form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => load(wanted()), 250);
  });
  setInterval(() => { if (!document.hidden) load(wanted()); }, ${refreshSeconds * 1000});
  document.addEventListener("visibilitychange", () => { if (!document.hidden) load(wanted()); });
})();
`;
