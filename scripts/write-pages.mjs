// Pages of documents that are generated: their folder holds nothing else.
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";

/** Escapes text for a table cell: a pipe would end the cell, and `<name>` would be read as HTML. */
export function cell(text) {
  const parts = text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").split("`");
  // Every second part is in backticks, where nothing is read as HTML.
  return parts.map((part, at) => (at % 2 === 1 ? part : part.replaceAll("<", "&lt;"))).join("`");
}

/**
 * Writes the pages of a folder and removes the Markdown files that are no longer among them; with `--check` on the
 * command line it only reports what differs, and sets the exit code.
 * @param {string} folder such as `docs/commands`
 * @param {ReadonlyMap<string, string>} pages texts by file name
 * @param {string} script what writes them, for the message
 */
export async function writePages(folder, pages, script) {
  const dir = new URL(`../${folder}/`, import.meta.url);
  await mkdir(dir, { recursive: true });
  const present = (await readdir(dir)).filter((name) => name.endsWith(".md"));
  const removed = present.filter((name) => !pages.has(name));
  const changed = [];
  for (const [name, text] of pages) {
    const old = present.includes(name) ? await readFile(new URL(name, dir), "utf8") : null;
    if (old !== text) changed.push(name);
  }
  if (process.argv.includes("--check")) {
    for (const name of [...changed, ...removed])
      console.error(`${folder}/${name} is stale: run node scripts/${script}`);
    if (changed.length + removed.length > 0) process.exitCode = 1;
  } else {
    await Promise.all(changed.map((name) => writeFile(new URL(name, dir), pages.get(name))));
    await Promise.all(removed.map((name) => rm(new URL(name, dir))));
    console.log(`${folder}: ${changed.length} written, ${removed.length} removed, of ${pages.size}`);
  }
}
