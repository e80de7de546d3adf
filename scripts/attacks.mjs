// npm run attacks: runs every test in test/slow/security/attacks, and the search for leaks of test/slow/security/canary.test.ts, with
// every combination of what a server does and a command. Builds the table "attack → outcome" of docs/security.md.
//   --write   writes the table, with the number of variants
// Each top-level `describe` with a title "<attack> → <outcome>" is one attack; each test in it is one variant. The others
// test what must still work.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./sandbox.mjs";

const folder = mkdtempSync(join(tmpdir(), "edgewise-attacks-"));
const report = join(folder, "report.json");
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const args = [
  "run",
  "test/slow/security/attacks",
  "test/slow/security/canary",
  "--reporter=json",
  `--outputFile=${report}`,
];
// Every combination, where a run of all tests tries a part of them.
const env = { ...process.env, TEST_RUNS: "3" };
spawnSync(process.execPath, [vitest, ...args], { cwd: root, env, stdio: ["ignore", "ignore", "inherit"] });
const { testResults } = JSON.parse(readFileSync(report, "utf8"));
rmSync(folder, { recursive: true });

const attacks = new Map();
const failed = [];
let skipped = 0;
let others = 0;
for (const { assertionResults, message, name } of testResults) {
  if (assertionResults.length === 0) failed.push(`${name}: ${message}`);
  for (const { ancestorTitles, fullName, status } of assertionResults) {
    const [title = ""] = ancestorTitles;
    const [attack, outcome] = title.split(" → ");
    if (outcome === undefined) others += 1;
    else if (status === "passed") attacks.set(title, { attack, outcome, count: (attacks.get(title)?.count ?? 0) + 1 });
    else if (status === "failed") failed.push(fullName);
    else skipped += 1;
  }
}

for (const text of failed) console.error(`failed: ${text}`);
const rows = [...attacks.values()].sort((a, b) => (a.attack < b.attack ? -1 : 1));
const total = rows.reduce((sum, { count }) => sum + count, 0);
const cell = (text) => text.replaceAll("|", "\\|");
const table = [
  "| attack | outcome | variants |",
  "|---|---|--:|",
  ...rows.map(({ attack, outcome, count }) => `| ${cell(attack)} | ${cell(outcome)} | ${count} |`),
  `| **${rows.length} attacks** | | **${total}** |`,
  "",
].join("\n");
console.log(table);
console.log(
  `${rows.length} attacks, ${total} variants, ${failed.length} failed, ${skipped} skipped, ${others} other tests.`,
);

if (failed.length > 0) process.exitCode = 1;
else if (process.argv.includes("--write")) {
  const path = join(root, "docs", "security.md");
  const text = readFileSync(path, "utf8");
  const block = /(<!-- attacks:begin -->\n)[\s\S]*?(<!-- attacks:end -->)/;
  if (!block.test(text)) throw new Error(`${path} has no place for the table`);
  writeFileSync(
    path,
    text.replace(block, (_, begin, end) => `${begin}\n${table}\n${end}`),
  );
}
