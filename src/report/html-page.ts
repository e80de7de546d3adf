import { createHash } from "node:crypto";
import { visibleLine } from "../core/visible.js";
import { escapeHtml } from "./escape.js";

/** None of it may hold what comes from elsewhere. */
type PageExtras = Readonly<{
  style?: string;
  script?: string;
  head?: string;
  policy?: readonly string[];
}>;

export type HtmlPage = Readonly<{
  html: string;
  policy: string;
}>;

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
.good,.add,ins{--tone:var(--add)}
.security,.irreversible,.refused,.remove,del{--tone:var(--del)}
.routing,.change{--tone:var(--mod)}
.conflict,.replace{--tone:var(--rep)}
.adopt{--tone:var(--ado)}
code,pre,.mono,.mark,.diff{font-family:${mono};font-size:.9em}
.soft,.meta,.place,.notes,th,footer{color:var(--soft)}
.meta,.tiles{display:flex;flex-wrap:wrap;gap:4px 10px}
.headline,.card,.tiles li,.diff,input[type=search],button{border-radius:10px;background:var(--card);border:1px solid var(--line)}
.headline,.card.refused{border-left:5px solid var(--tone,var(--soft))}
.headline{margin:18px 0 0;padding:13px 16px}
.headline b,.mark,.badge,.why,ins,del{color:var(--tone,var(--soft))}
.headline b{text-transform:uppercase;font-size:.8rem;margin-right:8px}
.tiles{margin:16px 0 0;padding:0;list-style:none}
.tiles li{flex:1 1 90px;max-width:220px;overflow-wrap:normal;padding:9px 12px;color:var(--soft);font-size:.84rem}
.tiles b{display:block;font-size:1.35rem;line-height:1.2;color:var(--text)}
.tiles a{display:block;color:inherit;text-decoration:none}
input[type=search],button{font:inherit;padding:4px 10px;color:inherit}
summary:hover,.tiles li:has(a:hover),button:hover{background:var(--hover)}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
.card{margin:6px 0}
summary,.plain{padding:8px 14px}
summary{cursor:pointer;border-radius:10px}
.body{padding:2px 16px 14px 32px}
.mark,.badge{padding:0 8px;border-radius:99px;background:var(--tint);white-space:nowrap}
.badge{font-size:.76rem}
.name{font-weight:600}
.notes{margin:0;padding-left:18px}
.gist{display:block;padding-left:18px;font-size:.88rem}[open]>summary>.gist{display:none}
ins,del{text-decoration:none;background:var(--tint)}
.diff{margin:5px 0 0;padding:5px 0;white-space:pre-wrap}
.diff>*{display:block;padding:0 12px}
table{border-collapse:collapse;width:100%;font-size:.88rem}
th,td{text-align:left;padding:5px 10px 5px 0;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:500}
th,td.tight,button{white-space:nowrap}
footer{margin-top:40px;font-size:.84rem}
@media (max-width:640px){main{padding:18px 12px 48px}
.wide thead{display:none}.wide,.wide tbody,.wide tr,.wide td{display:block}.wide td{border:0;padding:1px 0}.wide tr{padding:6px 0;border-bottom:1px solid var(--line)}
.tiles li{flex-basis:88px}}
`;
