// Builds the site of the documents into docs/site/dist and checks it. Its generator has a package of its own, in docs/site.
//   node scripts/docs-site.mjs           installs, builds, checks
//   node scripts/docs-site.mjs --check   only checks what was built
// DOCS_BASE=/edgewise/ is for a site that is served below that path. Nothing in docs/ is copied or changed.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { root } from "./sandbox.mjs";

const site = join(root, "docs/site");
const dist = join(site, "dist");
const base = process.env.DOCS_BASE ?? "/";

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: site, stdio: "inherit" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed`, { cause: error });
}

const pages = () =>
  readdirSync(dist, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".html") && !name.startsWith("files/"));

/** What a link of a page leads to: a file of the site and an anchor; null = another site. */
function targetOf(page, href) {
  if (/^[a-z][a-z+.-]*:/i.test(href)) return null;
  const [path = "", hash = ""] = href.replaceAll("&amp;", "&").split("#");
  if (path === "") return { file: page, hash };
  if (path.startsWith("/") && !path.startsWith(base)) return { file: `outside of ${base}: ${path}`, hash };
  const full = path.startsWith("/") ? path.slice(base.length) : posix.join(posix.dirname(page), path);
  const file = decodeURIComponent(full);
  const isFolder = file === "" || file === "." || file.endsWith("/");
  return { file: isFolder ? posix.join(file, "index.html") : file, hash: decodeURIComponent(hash) };
}

/** Links that lead nowhere, and whatever a page would load from elsewhere. */
function problems() {
  const found = [];
  const all = new Map(pages().map((name) => [name, readFileSync(join(dist, name), "utf8")]));
  const ids = new Map(
    [...all].map(([name, html]) => [name, new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))]),
  );
  for (const [page, html] of all) {
    for (const [, tag, attributes] of html.matchAll(/<(a|link|script|img|iframe|source)\b([^>]*)>/g)) {
      const [, href] = /\b(?:href|src)="([^"]*)"/.exec(attributes) ?? [];
      if (href === undefined) continue;
      const target = targetOf(page, href);
      if (target === null) {
        if (tag !== "a" && !href.startsWith("data:")) found.push(`${page} loads ${href}`);
        continue;
      }
      const path = join(dist, target.file);
      if (!existsSync(path) || !statSync(path).isFile()) found.push(`${page}: ${href}: there is no ${target.file}`);
      else if (target.hash !== "" && ids.get(target.file)?.has(target.hash) === false)
        found.push(`${page}: ${href}: ${target.file} has no #${target.hash}`);
    }
  }
  for (const name of readdirSync(join(dist, "assets"), { encoding: "utf8" }).filter((one) => one.endsWith(".css"))) {
    const css = readFileSync(join(dist, "assets", name), "utf8");
    for (const [url] of css.matchAll(/(?:url\(|@import )["']?(?:https?:)?\/\/[^)"']+/g))
      found.push(`${name} loads ${url}`);
  }
  return { found, count: all.size };
}

if (!process.argv.includes("--check")) {
  run("npm", ["ci", "--ignore-scripts"]);
  run(process.execPath, ["node_modules/vitepress/bin/vitepress.js", "build"]);
}
const { found, count } = problems();
for (const problem of found) console.error(problem);
console.log(`docs/site/dist: ${count} pages, ${found.length} problems`);
if (found.length > 0 || count === 0) process.exitCode = 1;
