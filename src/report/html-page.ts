import { nodeCrypto } from "../node-crypto.js";
import { visibleLine } from "../text/visible.js";
import { escapeHtml } from "./escape.js";

/** What a page needs beyond a report: none of it may hold what comes from elsewhere. */
export interface PageExtras {
  /** Follows the style sheet of the reports. */
  readonly style: string;
  /** Follows their script. */
  readonly script: string;
  /** Markup for the head. */
  readonly head: string;
  /** What the page may do beyond showing itself, as in a content security policy. */
  readonly policy: readonly string[];
}

/** A page, and the policy that a server sends with it. */
export interface HtmlPage {
  readonly html: string;
  readonly policy: string;
}

/**
 * A page in one file that loads nothing: its policy allows the style and the script below by their hashes, and no
 * other style, script, picture or connection. `main` is markup that is already escaped.
 */
export function htmlPage(title: string, main: string): string {
  return htmlPageWith(title, main, { style: "", script: "", head: "", policy: ["form-action 'none'"] }).html;
}

/** Like {@link htmlPage}, for a page that does more than show a report. */
export function htmlPageWith(title: string, main: string, extras: PageExtras): HtmlPage {
  const style = htmlStyle + extras.style;
  const script = htmlScript + extras.script;
  const policy = [
    "default-src 'none'",
    `style-src '${cspHash(style)}'`,
    `script-src '${cspHash(script)}'`,
    "base-uri 'none'",
    ...extras.policy,
  ].join("; ");
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
${extras.head}<title>${escapeHtml(visibleLine(title))}</title>
<style>${style}</style>
</head>
<body>
<main>
${main}
</main>
<script>${script}</script>
</body>
</html>
`;
  return { html, policy };
}

function cspHash(text: string): string {
  return `sha256-${nodeCrypto().createHash("sha256").update(text, "utf8").digest("base64")}`;
}

/** One choice of a filter. */
export interface FilterChoice {
  readonly value: string;
  readonly label: string;
  readonly count: number;
}

/**
 * The bar that filters cards by group and impact; hidden until the script has run that it needs.
 * @param impactTitle what `data-impact` of the cards is
 */
export function htmlFilters(
  groupTitle: string,
  groups: readonly FilterChoice[],
  impacts: readonly FilterChoice[],
  impactTitle = "Impact",
): string {
  return `<div class="filters" id="filters" role="search" aria-label="Filter" hidden>
${filterFieldset(groupTitle, "group", groups)}
${filterFieldset(impactTitle, "impact", impacts)}
<input type="search" placeholder="Find by address" aria-label="Find by address">
<button type="button" id="open">Open all</button><button type="button" id="close">Close all</button>
<span class="status" id="status" role="status"></span>
</div>`;
}

function filterFieldset(title: string, name: string, list: readonly FilterChoice[]): string {
  const pills = list.map(
    ({ value, label, count }) =>
      `<label class="pill"><input type="checkbox" name="${name}" value="${escapeHtml(value)}" checked><span>${escapeHtml(label)} ${count}</span></label>`,
  );
  return `<fieldset><legend>${escapeHtml(title)}</legend>${pills.join("")}</fieldset>`;
}

/** Counts items for the choices of a filter, in the order given; choices without items are left out. */
export function filterChoices<T>(
  items: readonly T[],
  values: readonly string[],
  of: (item: T) => string,
): readonly FilterChoice[] {
  const counts = new Map(values.map((value) => [value, 0]));
  for (const item of items) counts.set(of(item), (counts.get(of(item)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > 0).map(([value, count]) => ({ value, label: value, count }));
}

/** The style sheet of every HTML report: light and dark, narrow and wide, screen and paper. */
const htmlStyle = `
:root{color-scheme:light dark;--bg:#f6f7f9;--card:#fff;--text:#1c2330;--soft:#5b6678;--line:#dde2ea;--hover:#f1f4f8;
--add:#116b37;--add-bg:#e4f6ea;--del:#b3261e;--del-bg:#fdeaea;--mod:#8a5300;--mod-bg:#fff3dc;--rep:#7b2fb0;--rep-bg:#f5e9fd;
--ado:#0b6a85;--ado-bg:#e0f4fa;--orp:#556072;--orp-bg:#eceff4;--focus:#2563eb;--free:#c2560b;--use:#2563eb;--alarm:#b3261e;--alarm-bg:#fdeaea}
@media (prefers-color-scheme:dark){:root{--bg:#11151c;--card:#191f29;--text:#e4e9f1;--soft:#9aa6b8;--line:#2c3543;--hover:#202836;
--add:#6fd596;--add-bg:#12301f;--del:#ff938a;--del-bg:#3a1c1c;--mod:#f0bd63;--mod-bg:#352a12;--rep:#d5a4f5;--rep-bg:#2f1d3d;
--ado:#74cfe8;--ado-bg:#10303a;--orp:#aab4c4;--orp-bg:#262e3a;--focus:#7aa7ff;--free:#f59a57;--use:#7aa7ff;--alarm:#ff938a;--alarm-bg:#3a1c1c}}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;background:var(--bg);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
main{max-width:1080px;margin:0 auto;padding:28px 20px 64px}
h1{font-size:1.4rem;line-height:1.25;margin:0;overflow-wrap:anywhere}
h2{font-size:1.06rem;margin:34px 0 10px;display:flex;gap:9px;align-items:baseline;flex-wrap:wrap}
h2 small{color:var(--soft);font-weight:400;font-size:.86rem}
p{margin:6px 0;overflow-wrap:anywhere}
code,pre,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.9em}
.soft{color:var(--soft)}
header .meta{color:var(--soft);margin-top:4px;font-size:.92rem;display:flex;flex-wrap:wrap;gap:2px 18px}
.headline{margin:18px 0 0;padding:13px 16px;border-radius:10px;border:1px solid var(--line);border-left:5px solid var(--soft);background:var(--card)}
.headline b{text-transform:uppercase;letter-spacing:.05em;font-size:.8rem;margin-right:8px}
.headline.routing{border-left-color:var(--mod)}.headline.routing b{color:var(--mod)}
.headline.security,.headline.irreversible,.headline.refused{border-left-color:var(--alarm)}
.headline.security b,.headline.irreversible b,.headline.refused b{color:var(--alarm)}
.headline.refused{background:var(--alarm-bg)}
.headline.good{border-left-color:var(--add)}
.tiles{display:flex;flex-wrap:wrap;gap:8px;margin:16px 0 0;padding:0;list-style:none}
.tiles li{flex:1 1 90px;padding:9px 12px;border:1px solid var(--line);border-radius:10px;background:var(--card);color:var(--soft);font-size:.84rem}
.tiles b{display:block;font-size:1.35rem;line-height:1.2;color:var(--text);font-variant-numeric:tabular-nums}
.filters{position:sticky;top:0;z-index:2;margin:22px -8px 0;padding:10px 8px;background:var(--bg);border-bottom:1px solid var(--line);display:flex;flex-wrap:wrap;gap:8px 14px;align-items:center}
fieldset{border:0;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:6px;align-items:center;min-width:0}
legend{float:left;margin-right:6px;color:var(--soft);font-size:.84rem;padding:0}
.pill{position:relative;display:inline-flex}
.pill input{position:absolute;inset:0;opacity:0;margin:0;cursor:pointer;width:100%;height:100%}
.pill span{padding:2px 10px;border:1px solid var(--line);border-radius:99px;font-size:.84rem;background:transparent;color:var(--soft);text-decoration:line-through;white-space:nowrap}
.pill input:checked+span{background:var(--card);color:var(--text);text-decoration:none}
.pill input:focus-visible+span{outline:2px solid var(--focus);outline-offset:2px}
input[type=search]{flex:1 1 150px;min-width:120px;font:inherit;font-size:.88rem;padding:4px 10px;border:1px solid var(--line);border-radius:8px;background:var(--card);color:var(--text)}
button{font:inherit;font-size:.84rem;padding:3px 10px;border:1px solid var(--line);border-radius:8px;background:var(--card);color:var(--text);cursor:pointer}
button:hover{background:var(--hover)}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px;border-radius:6px}
.status{color:var(--soft);font-size:.84rem;font-variant-numeric:tabular-nums}
details.card{margin:8px 0;border:1px solid var(--line);border-radius:10px;background:var(--card)}
details.card>summary{list-style:none;cursor:pointer;padding:9px 14px;display:flex;flex-wrap:wrap;gap:4px 10px;align-items:center;border-radius:10px}
details.card>summary::-webkit-details-marker{display:none}
details.card>summary::before{content:"";width:0;height:0;border:4.5px solid transparent;border-left-color:var(--soft);margin-right:-5px;transition:transform .12s}
details.card[open]>summary::before{transform:rotate(90deg) translateX(2px)}
details.card>summary:hover{background:var(--hover)}
details.card>.body{padding:2px 16px 14px 28px}
.card.plain{padding:10px 14px;margin:8px 0;border:1px solid var(--line);border-radius:10px;background:var(--card)}
.card.row{display:flex;flex-wrap:wrap;gap:4px 10px;align-items:center;padding-left:27px}
.card.refusal{border-color:var(--alarm);border-left-width:5px}
.mark{display:inline-block;min-width:30px;text-align:center;font:600 .86rem/1.6 ui-monospace,Menlo,Consolas,monospace;border-radius:6px;padding:0 6px;background:var(--orp-bg);color:var(--orp)}
.mark.add,.mark.create{background:var(--add-bg);color:var(--add)}
.mark.remove,.mark.delete{background:var(--del-bg);color:var(--del)}
.mark.change,.mark.update{background:var(--mod-bg);color:var(--mod)}
.mark.replace{background:var(--rep-bg);color:var(--rep)}
.mark.adopt{background:var(--ado-bg);color:var(--ado)}
.name{font-weight:600;overflow-wrap:anywhere}
.place{margin-left:auto;color:var(--soft);font-size:.84rem;overflow-wrap:anywhere}
.badge{font-size:.76rem;padding:1px 8px;border-radius:99px;border:1px solid var(--line);color:var(--soft);white-space:nowrap}
.badge.routing{background:var(--mod-bg);color:var(--mod);border-color:transparent}
.badge.security,.badge.irreversible{background:var(--alarm-bg);color:var(--alarm);border-color:transparent;font-weight:600}
.badge.conflict{background:var(--rep-bg);color:var(--rep);border-color:transparent}
.badge.drift{background:var(--ado-bg);color:var(--ado);border-color:transparent}
.field{margin-top:10px}
.field .path{font-weight:600;overflow-wrap:anywhere}
.field .why{font-size:.88rem;color:var(--soft);margin:1px 0 0}
.why.routing{color:var(--mod)!important}.why.security,.why.irreversible{color:var(--alarm)!important}
.values{margin-top:3px;overflow-wrap:anywhere}
ins,del{text-decoration:none;border-radius:4px;padding:0 4px}
ins{background:var(--add-bg);color:var(--add)}
del{background:var(--del-bg);color:var(--del)}
.arrow{color:var(--soft);padding:0 5px}
pre.diff{margin:5px 0 0;border:1px solid var(--line);border-radius:8px;overflow-x:auto;padding:6px 0;line-height:1.45;max-height:32rem}
pre.diff>*{display:block;padding:0 12px;border-radius:0;width:max-content;min-width:100%}
pre.diff>i{color:var(--soft);font-style:normal}
ul.notes{margin:6px 0 0;padding-left:18px;color:var(--soft);font-size:.92rem}
.graph{overflow:auto;border:1px solid var(--line);border-radius:10px;background:var(--card);padding:8px;max-height:46rem}
.graph svg{display:block;font-size:12px}
.graph rect{fill:var(--bg);stroke:var(--soft);stroke-width:1.4}
.graph .create rect{stroke:var(--add)}.graph .delete rect,.graph .module-delete rect{stroke:var(--del)}
.graph .patch rect,.graph .module-put rect{stroke:var(--mod)}
.graph .temporary rect{stroke-dasharray:5 3}
.graph text{fill:var(--text);font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.graph text.small{fill:var(--soft);font-size:10.5px}
.graph path{fill:none;stroke:var(--soft);stroke-width:1.5;opacity:.85}
.graph marker path{fill:var(--soft);stroke:none;opacity:1}
.graph path.use{stroke:var(--use)}.graph path.free{stroke:var(--free)}.graph path.unuse{stroke:var(--rep)}
.graph path.late,.graph path.last{stroke-dasharray:4 4}
.key{fill:none;stroke:var(--soft);stroke-width:2}.key.use{stroke:var(--use)}.key.free{stroke:var(--free)}.key.unuse{stroke:var(--rep)}.key.late,.key.last{stroke-dasharray:4 4}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;margin:8px 0 0;padding:0;list-style:none;font-size:.84rem;color:var(--soft)}
.legend svg{vertical-align:middle;margin-right:6px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.88rem}
th,td{text-align:left;padding:5px 10px 5px 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
th{color:var(--soft);font-weight:500;white-space:nowrap}
td.tight{white-space:nowrap}
footer{margin-top:40px;padding-top:14px;border-top:1px solid var(--line);color:var(--soft);font-size:.84rem;overflow-wrap:anywhere}
@media (max-width:640px){main{padding:18px 12px 48px}.place{margin-left:0;flex-basis:100%}details.card>.body{padding:2px 12px 12px}.filters{position:static}.tiles li{flex-basis:72px}}
@media (prefers-reduced-motion:reduce){*{transition:none!important}}
@media print{:root{--bg:#fff}main{max-width:none;padding:0}.filters{display:none}details.card,.card.plain,.field{break-inside:avoid-page}pre.diff,.graph{max-height:none;overflow:visible}pre.diff>*{white-space:pre-wrap;width:auto}
body{font-size:11pt;-webkit-print-color-adjust:exact;print-color-adjust:exact}.graph svg{max-width:100%;height:auto}}
`;

/**
 * The script of every HTML report: filters, folding, and unfolding everything for print. The page is complete
 * without it; it reads only attributes of the page.
 */
const htmlScript = `
(() => {
  const bar = document.getElementById("filters");
  const cards = [...document.querySelectorAll("[data-group]")];
  const folds = [...document.querySelectorAll("details")];
  if (bar) {
    bar.hidden = false;
    const boxes = [...bar.querySelectorAll("input[type=checkbox]")];
    const search = bar.querySelector("input[type=search]");
    const status = document.getElementById("status");
    const sections = [...document.querySelectorAll("section[data-cards]")];
    const filter = () => {
      const off = new Set(boxes.filter((box) => !box.checked).map((box) => box.name + ":" + box.value));
      const words = search.value.trim().toLowerCase();
      let shown = 0;
      for (const card of cards) {
        card.hidden = off.has("group:" + card.dataset.group) || off.has("impact:" + card.dataset.impact) ||
          !card.dataset.name.toLowerCase().includes(words);
        if (!card.hidden) shown += 1;
      }
      for (const section of sections) section.hidden = !section.querySelector("[data-group]:not([hidden])");
      status.textContent = shown === cards.length ? "" : shown + " of " + cards.length + " shown";
    };
    bar.addEventListener("input", filter);
    document.getElementById("open").addEventListener("click", () => { for (const card of cards) card.open = true; });
    document.getElementById("close").addEventListener("click", () => { for (const card of cards) card.open = false; });
    filter();
  }
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = folds.filter((fold) => !fold.open);
    for (const fold of closed) fold.open = true;
  });
  addEventListener("afterprint", () => { for (const fold of closed) fold.open = false; });
})();
`;
