import { createHash } from "node:crypto";
import { visibleLine } from "../core/visible.js";
import { escapeHtml } from "./escape.js";

/** None of it may hold what comes from elsewhere. */
type PageExtras = Readonly<{
  style?: string;
  script?: string;
  head?: string;
  /** More of its content security policy. */
  policy?: readonly string[];
}>;

export type HtmlPage = Readonly<{
  html: string;
  policy: string;
}>;

/** One file that loads nothing. `main` is markup. */
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

const mono = 'ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace';

const htmlStyle = `
:root{color-scheme:light dark;--bg:light-dark(#f6f7f9,#11151c);--card:light-dark(#fff,#191f29);--text:light-dark(#1c2330,#e4e9f1);
--soft:light-dark(#5b6678,#9aa6b8);--line:light-dark(#dde2ea,#2c3543);--hover:light-dark(#f1f4f8,#202836);--focus:light-dark(#2563eb,#7aa7ff);
--add:light-dark(#0f6332,#7fdca2);--del:light-dark(#a8231b,#ffa59d);--mod:light-dark(#8a5300,#f0bd63);--rep:light-dark(#7b2fb0,#d5a4f5);
--ado:light-dark(#0b6a85,#74cfe8);--tint:color-mix(in srgb,currentColor 12%,transparent)}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;overflow-wrap:anywhere;background:var(--bg);color:var(--text);font:15px/1.5 system-ui,sans-serif}
main{max-width:1080px;margin:0 auto;padding:28px 20px 64px}
h1{font-size:1.4rem;line-height:1.25;margin:0}
h2{font-size:1.06rem;margin:34px 0 10px}
p{margin:6px 0}
a{color:var(--focus)}
code,pre,.mono,.mark,.diff{font-family:${mono};font-size:.9em}
.soft,.meta,.gist,.place,.notes,small,th,footer{color:var(--soft)}
.meta,summary,.row,.tiles{display:flex;flex-wrap:wrap;gap:4px 10px;align-items:center}
.meta>*,summary>*,.row>*{min-width:0}
.headline,.card,.tiles li,.diff,input[type=search],button{border-radius:10px;background:var(--card);border:1px solid var(--line)}
.headline{margin:18px 0 0;padding:13px 16px;border-left-width:5px;border-left-color:var(--soft)}
.headline b{text-transform:uppercase;font-size:.8rem;margin-right:8px}
.headline.routing{border-left-color:var(--mod)}.headline.routing b{color:var(--mod)}
.headline.security,.headline.irreversible,.headline.refused,.card.refusal{border-left-color:var(--del)}
.headline.security b,.headline.irreversible b,.headline.refused b{color:var(--del)}
.headline.good{border-left-color:var(--add)}
.tiles{align-items:stretch;margin:16px 0 0;padding:0;list-style:none}
.tiles li{flex:1 1 90px;max-width:220px;overflow-wrap:normal;padding:9px 12px;color:var(--soft);font-size:.84rem}
.tiles b{display:block;font-size:1.35rem;line-height:1.2;color:var(--text)}
.tiles a{display:block;color:inherit;text-decoration:none}
input[type=search],button{font:inherit;padding:4px 10px;color:inherit}
summary:hover,.tiles li:has(a:hover),button:hover{background:var(--hover)}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
.card{margin:6px 0}
summary{cursor:pointer;padding:7px 14px;border-radius:10px}
summary::before{content:"▸";color:var(--soft)}details[open]>summary::before{content:"▾"}
details>.body{padding:2px 16px 14px 38px}
.card.plain{padding:8px 14px}.card.row{padding-left:38px}
.card.refusal{border-left-width:5px}
.mark,.badge{padding:0 8px;border-radius:99px;background:var(--tint);color:var(--soft);white-space:nowrap}
.badge{font-size:.76rem}
.mark.add,ins{color:var(--add)}
.mark.remove,del,.badge.security,.badge.irreversible,.why.security,.why.irreversible{color:var(--del)}
.mark.change,.badge.routing,.why.routing{color:var(--mod)}
.mark.replace,.badge.alarm,.badge.conflict{color:var(--rep)}
.mark.adopt,.badge.change{color:var(--ado)}
.name,.path{font-weight:600}
.gist{flex-basis:100%;padding-left:22px;font-size:.88rem}details[open]>summary>.gist{display:none}
.place{margin-left:auto;font-size:.84rem}
.field{margin-top:10px}
.why{font-size:.88rem}
ins,del{text-decoration:none;border-radius:4px;padding:0 4px;background:var(--tint)}
.arrow{color:var(--soft);padding:0 5px}
.diff{margin:5px 0 0;padding:5px 0;overflow:clip;white-space:pre-wrap;tab-size:2}
.diff>*{display:block;padding:0 12px 0 calc(12px + 2ch);text-indent:-2ch;border-radius:0}
.diff i{color:var(--soft);font-style:normal}
.notes{margin:6px 0 0;padding-left:18px}
table{border-collapse:collapse;width:100%;font-size:.88rem}
th,td{text-align:left;padding:5px 10px 5px 0;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:500}
th,td.tight{white-space:nowrap}
footer{margin-top:40px;font-size:.84rem}
@media (max-width:640px){main{padding:18px 12px 48px}
.wide thead{display:none}.wide,.wide tbody,.wide tr,.wide td{display:block}.wide td{border:0;padding:1px 0}
.place{margin-left:0;flex-basis:100%}details>.body{padding-left:12px}.tiles li{flex-basis:88px}}
`;
