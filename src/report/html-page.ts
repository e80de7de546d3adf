import { createHash } from "node:crypto";
import { visibleLine } from "../core/visible.js";
import { escapeHtml } from "./escape.js";

/** What a page needs beyond a report: none of it may hold what comes from elsewhere. */
interface PageExtras {
  readonly style?: string;
  readonly script?: string;
  readonly head?: string;
  /** What the page may do beyond showing itself, as in a content security policy. */
  readonly policy?: readonly string[];
}

export interface HtmlPage {
  readonly html: string;
  readonly policy: string;
}

/** A page in one file that loads nothing. `main` is markup that is already escaped. */
export function htmlPage(title: string, main: string, extras: PageExtras = {}): HtmlPage {
  const { head = "", script = "", policy: more = ["form-action 'none'"] } = extras;
  const style = htmlStyle + (extras.style ?? "");
  const policy = [
    "default-src 'none'",
    `style-src '${cspHash(style)}'`,
    `script-src '${cspHash(script)}'`,
    "base-uri 'none'",
    ...more,
  ].join("; ");
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
${head}<title>${escapeHtml(visibleLine(title))}</title>
<style>${style}</style>
</head>
<body>
<main>
${main}
</main>
${script === "" ? "" : `<script>${script}</script>\n`}</body>
</html>
`;
  return { html, policy };
}

function cspHash(text: string): string {
  return `sha256-${createHash("sha256").update(text, "utf8").digest("base64")}`;
}

export const htmlStyle = `
:root{color-scheme:light dark;--bg:#f6f7f9;--card:#fff;--text:#1c2330;--soft:#5b6678;--line:#dde2ea;--hover:#f1f4f8;
--add:#0f6332;--add-bg:#e4f6ea;--del:#a8231b;--del-bg:#fdeaea;--mod:#8a5300;--mod-bg:#fff3dc;--rep:#7b2fb0;--rep-bg:#f5e9fd;
--ado:#0b6a85;--ado-bg:#e0f4fa;--orp:#556072;--orp-bg:#eceff4;--focus:#2563eb;--alarm:#b3261e;--alarm-bg:#fdeaea}
@media screen and (prefers-color-scheme:dark){:root{--bg:#11151c;--card:#191f29;--text:#e4e9f1;--soft:#9aa6b8;--line:#2c3543;--hover:#202836;
--add:#7fdca2;--add-bg:#12301f;--del:#ffa59d;--del-bg:#3a1c1c;--mod:#f0bd63;--mod-bg:#352a12;--rep:#d5a4f5;--rep-bg:#2f1d3d;
--ado:#74cfe8;--ado-bg:#10303a;--orp:#aab4c4;--orp-bg:#262e3a;--focus:#7aa7ff;--alarm:#ff938a;--alarm-bg:#3a1c1c}}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;overflow-wrap:anywhere;background:var(--bg);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
main{max-width:1080px;margin:0 auto;padding:28px 20px 64px}
h1{font-size:1.4rem;line-height:1.25;margin:0}
h2{font-size:1.06rem;margin:34px 0 10px;display:flex;gap:2px 9px;align-items:baseline;flex-wrap:wrap;min-width:0}
h2>*{min-width:0}
h2 small{color:var(--soft);font-weight:400;font-size:.86rem}
h3{font-size:.92rem;margin:22px 0 6px}
p{margin:6px 0}
a{color:var(--focus);text-underline-offset:2px}
code,pre,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.9em}
.soft{color:var(--soft)}
header .meta{color:var(--soft);margin-top:4px;font-size:.92rem;display:flex;flex-wrap:wrap;gap:2px 18px}
header .meta>*,summary>*,.card.row>*{min-width:0}
.headline{margin:18px 0 0;padding:13px 16px;border-radius:10px;border:1px solid var(--line);border-left:5px solid var(--soft);background:var(--card)}
.headline b{text-transform:uppercase;letter-spacing:.05em;font-size:.8rem;margin-right:8px}
.headline.routing{border-left-color:var(--mod)}.headline.routing b{color:var(--mod)}
.headline.security,.headline.irreversible,.headline.refused{border-left-color:var(--alarm)}
.headline.security b,.headline.irreversible b,.headline.refused b{color:var(--alarm)}
.headline.refused{background:var(--alarm-bg)}
.headline.good{border-left-color:var(--add)}
.tiles{display:flex;flex-wrap:wrap;gap:8px;margin:16px 0 0;padding:0;list-style:none}
.tiles li{flex:1 1 90px;max-width:220px;overflow-wrap:normal;padding:9px 12px;border:1px solid var(--line);border-radius:10px;background:var(--card);color:var(--soft);font-size:.84rem}
.tiles b{display:block;font-size:1.35rem;line-height:1.2;color:var(--text);font-variant-numeric:tabular-nums}
.tiles a{display:block;margin:-9px -12px;padding:9px 12px;border-radius:10px;color:inherit;text-decoration:none}
.tiles a:hover{background:var(--hover)}
input[type=search]{flex:1 1 150px;min-width:120px;font:inherit;font-size:.88rem;padding:4px 10px;border:1px solid var(--line);border-radius:8px;background:var(--card);color:var(--text)}
button{font:inherit;font-size:.84rem;padding:3px 10px;border:1px solid var(--line);border-radius:8px;background:var(--card);color:var(--text);cursor:pointer}
button:hover{background:var(--hover)}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px;border-radius:6px}
details.card{margin:6px 0;border:1px solid var(--line);border-radius:10px;background:var(--card)}
details.card>summary{list-style:none;cursor:pointer;padding:7px 14px;display:flex;flex-wrap:wrap;gap:4px 10px;align-items:center;border-radius:10px}
details.card>summary::-webkit-details-marker{display:none}
details.card>summary::before{content:"";width:0;height:0;border:4.5px solid transparent;border-left-color:var(--soft);margin-right:-5px;transition:transform .12s}
details.card[open]>summary::before{transform:rotate(90deg) translateX(2px)}
details.card>summary:hover{background:var(--hover)}
details.card>.body{padding:2px 16px 14px 28px}
.card.plain{padding:8px 14px;margin:6px 0;border:1px solid var(--line);border-radius:10px;background:var(--card)}
.card.row{display:flex;flex-wrap:wrap;gap:4px 10px;align-items:center;padding-left:27px}
.card.refusal{border-color:var(--alarm);border-left-width:5px}
.mark{display:inline-block;min-width:30px;text-align:center;font:600 .86rem/1.6 ui-monospace,Menlo,Consolas,monospace;border-radius:6px;padding:0 6px;background:var(--orp-bg);color:var(--orp)}
.mark.add{background:var(--add-bg);color:var(--add)}
.mark.remove{background:var(--del-bg);color:var(--del)}
.mark.change{background:var(--mod-bg);color:var(--mod)}
.mark.replace{background:var(--rep-bg);color:var(--rep)}
.mark.adopt{background:var(--ado-bg);color:var(--ado)}
.name{font-weight:600}
.gist{flex-basis:100%;padding-left:19px;font-size:.88rem;color:var(--soft)}details[open]>summary>.gist{display:none}
.place{margin-left:auto;color:var(--soft);font-size:.84rem}
.badge{font-size:.76rem;padding:1px 8px;border-radius:99px;border:1px solid var(--line);color:var(--soft);white-space:nowrap}
.badge.routing{background:var(--mod-bg);color:var(--mod);border-color:transparent}
.badge.security,.badge.irreversible{background:var(--alarm-bg);color:var(--alarm);border-color:transparent;font-weight:600}
.badge.alarm,.badge.conflict{background:var(--rep-bg);color:var(--rep);border-color:transparent}
.badge.change{background:var(--ado-bg);color:var(--ado);border-color:transparent}
.field{margin-top:10px}
.field .path{font-weight:600}
.field .why{font-size:.88rem;color:var(--soft);margin:1px 0 0}
.why.routing{color:var(--mod)!important}.why.security,.why.irreversible{color:var(--alarm)!important}
.values{margin-top:3px}
ins,del{text-decoration:none;border-radius:4px;padding:0 4px}
ins{background:var(--add-bg);color:var(--add)}
del{background:var(--del-bg);color:var(--del)}
.arrow{color:var(--soft);padding:0 5px}
.diff{margin:5px 0 0;border:1px solid var(--line);border-radius:8px;padding:5px 0;overflow:clip;font:.84rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;white-space:pre-wrap;tab-size:2}
.diff ins,.diff del,.diff span,.diff i{display:block;padding:0 12px 0 calc(12px + 2ch);text-indent:-2ch;border-radius:0}
.diff i{color:var(--soft);font-style:normal}
ul.notes{margin:6px 0 0;padding-left:18px;color:var(--soft);font-size:.92rem}
table{border-collapse:collapse;width:100%;font-size:.88rem}
th,td{text-align:left;padding:5px 10px 5px 0;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--soft);font-weight:500;white-space:nowrap}
td.tight{white-space:nowrap}
.wide td.mono:not(.tight){min-width:17ch}
footer{margin-top:40px;padding-top:14px;border-top:1px solid var(--line);color:var(--soft);font-size:.84rem}
@media (max-width:640px){main{padding:18px 12px 48px}
table.wide thead{display:none}table.wide,table.wide tbody,table.wide tr,table.wide td{display:block;width:auto}
table.wide tr{padding:8px 0;border-bottom:1px solid var(--line)}table.wide td{border:0;padding:1px 0;min-width:0!important}table.wide td:empty{display:none}
table.wide td[data-label]::before{content:attr(data-label) ": ";color:var(--soft)}
.place{margin-left:0;flex-basis:100%}details.card>.body{padding:2px 12px 12px}.tiles li{flex-basis:88px}}
@media (prefers-reduced-motion:reduce){*{transition:none!important}}
@media print{:root{--bg:#fff;--hover:#fff}
body{font-size:10.5pt;-webkit-print-color-adjust:exact;print-color-adjust:exact}
main{max-width:none;padding:0}
details.card>summary::before{display:none}
details::details-content{content-visibility:visible;display:block;height:auto}
details>*{display:revert}
details.card,.card.plain,.diff{overflow:visible}summary>.gist{display:none!important}
summary,.field .path,h2,h3{break-after:avoid-page}
.card.plain,table tr,.diff>ins,.diff>del,.diff span{break-inside:avoid-page}
ins,del{text-decoration:none}
.diff del,.values del{border-left:3px solid var(--del)}.diff ins,.values ins{border-left:3px double var(--add)}
.tiles a{text-decoration:none}}
`;
