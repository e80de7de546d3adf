// Checks the links between the documents: every file and every heading that a link names must exist.
//   node scripts/check-links.mjs
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const skipped = new Set(["node_modules", "dist", ".git", "coverage"]);

/**
 * The Markdown files below a folder.
 * @param {string} directory
 * @returns {readonly string[]}
 */
export function markdownFiles(directory) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : markdownFiles(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

const withoutBlocks = (text) => text.replace(/^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^ *\2`* *$/gm, "");

/**
 * The anchor of a heading, as GitHub makes it.
 * @param {string} heading its text, without markup
 */
export function anchorOf(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

/**
 * The anchors of a document's headings: of two that are the same, the second ends with -1.
 * @param {string} text
 * @returns {ReadonlySet<string>}
 */
function anchorsOf(text) {
  const anchors = new Set();
  for (const [, heading = ""] of withoutBlocks(text).matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = anchorOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1"));
    let unique = anchor;
    for (let n = 1; anchors.has(unique); n += 1) unique = `${anchor}-${n}`;
    anchors.add(unique);
  }
  return anchors;
}

/** The targets of a document's links and images, also of those that are defined apart: `[name]: path`. */
function targetsOf(text) {
  const prose = withoutBlocks(text).replaceAll(/(`+)[^`][\s\S]*?\1/g, "");
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)];
  const apart = [...prose.matchAll(/^ {0,3}\[[^\]]+\]:\s+<?(\S+?)>?(?:\s+"[^"]*")?\s*$/gm)];
  return [...inline, ...apart].map(([, target = ""]) => target);
}

/**
 * The links of documents that lead nowhere, as `FILE: LINK`. Links to other sites are not tried.
 * @param {string} root what the documents are in; a link out of it leads nowhere
 * @returns {readonly string[]}
 */
export function brokenLinks(root) {
  const anchors = new Map();
  const anchorsIn = (path) => {
    if (!anchors.has(path)) anchors.set(path, anchorsOf(readFileSync(path, "utf8")));
    return anchors.get(path);
  };
  return markdownFiles(root).flatMap((path) =>
    targetsOf(readFileSync(path, "utf8"))
      .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))
      .filter((target) => {
        const [file = "", hash] = target.split("#");
        const full = file === "" ? path : resolve(dirname(path), decodeURIComponent(file));
        if (relative(root, full).startsWith("..") || !existsSync(full)) return true;
        return hash !== undefined && full.endsWith(".md") && !anchorsIn(full).has(decodeURIComponent(hash));
      })
      .map((target) => `${relative(root, path)}: ${target}`),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const broken = brokenLinks(fileURLToPath(new URL("..", import.meta.url)));
  for (const link of broken) console.error(`${link} leads nowhere`);
  if (broken.length > 0) process.exitCode = 1;
}
