import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mistakesIn, remedied, runMistake, runMistakeInProcess } from "./run-mistake.ts";

/**
 * The table of mistakes in manifests and the configuration, message by message. UPDATE_GOLDEN=1 writes the outputs anew:
 * read each of them as somebody in a hurry would.
 */
const folder = join(import.meta.dirname, "manifests");
const files = readdirSync(folder).map((name) => ({ name, path: join(folder, name) }));
if (process.env["UPDATE_GOLDEN"] === "1") for (const { path } of files) await writeAnew(path);
const tables = files.map(({ name, path }) => ({ name, rows: mistakesIn(readFileSync(path, "utf8")) }));

async function writeAnew(path: string): Promise<void> {
  let text = "";
  for (const row of mistakesIn(readFileSync(path, "utf8")))
    text += `########## ${row.source}${await runMistake(row)}\n`;
  writeFileSync(path, `${text.trimEnd()}\n`);
}

/** Remedies that would say nothing. */
const filler = /fix the value|check the file|correct the value|should be valid|something is wrong/iu;

/** What a change puts in; blank when it only moves a line. */
function changedPart({ from, to }: { readonly from: string; readonly to: string }): string {
  let start = 0;
  while (start < from.length && from[start] === to[start]) start++;
  let end = 0;
  while (end < Math.min(from.length, to.length) - start && from.at(-1 - end) === to.at(-1 - end)) end++;
  return to
    .slice(start, to.length - end)
    .trim()
    .replaceAll(/\s+/gu, " ");
}

describe("mistakes in files", () => {
  it("print the same in a process of their own", async () => {
    const row = tables.flatMap(({ rows }) => rows).find(({ title }) => title === "a module inside another module");
    if (row === undefined) throw new Error("there is no such row");
    expect((await runMistakeInProcess(row)).trimEnd()).toBe(row.printed.trimEnd());
  });

  describe.each(tables)("$name", ({ rows }) => {
    it.each(rows)("$title", async (row) => {
      const printed = await runMistake(row);
      expect(printed.trimEnd()).toBe(row.printed.trimEnd());
      expect(printed).not.toMatch(filler);
      expect(printed).not.toContain("hunter2");
    });

    it.each(rows.filter(({ changes }) => changes.length > 0))("$title: the remedy helps", async (row) => {
      const remedies = row.printed.replaceAll(/\s+/gu, " ");
      for (const change of row.changes) expect(remedies).toContain(changedPart(change));
      expect(await runMistake(remedied(row))).toMatch(/^=== exit 0\n\d+ manifests? checked: nothing is wrong\.\n$/u);
    });
  });
});
