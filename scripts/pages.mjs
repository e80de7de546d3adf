// Follows the pages of the documentation: runs every command of them, in order, and writes what the commands printed below
// them. scripts/pages/read-page.mjs says what comments in a page ask for.
//   node scripts/pages.mjs [PAGE…]           writes
//   node scripts/pages.mjs --check [PAGE…]   fails if a page is out of date
//   node scripts/pages.mjs --show PAGE       prints it instead
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { followPage, hasCommands } from "./pages/follow-page.mjs";
import { pageNames } from "./pages/page-names.mjs";
import { root } from "./sandbox.mjs";

const [check, show] = ["--check", "--show"].map((flag) => process.argv.includes(flag));
const named = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const pages = (named.length > 0 ? named : pageNames())
  .map((name) => ({ name, text: readFileSync(join(root, name), "utf8") }))
  .filter(({ text }) => hasCommands(text))
  // The longest first.
  .toSorted((a, b) => b.text.split("edgewise ").length - a.text.split("edgewise ").length);

async function follow({ name, text }) {
  try {
    const fresh = await followPage(name, text);
    if (show) console.log(fresh.replaceAll(/<!--[\s\S]*?-->\n/g, ""));
    if (show || fresh === text) return;
    if (!check) writeFileSync(join(root, name), fresh);
    else fail(`${name} is out of date: run npm run docs`);
  } catch (error) {
    fail(error.message);
  }
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}

/** Commands wait as well as compute: more pages at once than there are processors. */
await Promise.all(
  Array.from({ length: availableParallelism() + 4 }, async () => {
    for (let page = pages.shift(); page !== undefined; page = pages.shift()) {
      // oxlint-disable-next-line no-await-in-loop
      await follow(page);
    }
  }),
);
