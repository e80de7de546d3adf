import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { followPage } from "../../../scripts/pages/follow-page.mjs";
import { pageNames } from "../../../scripts/pages/page-names.mjs";
import { commandBlocks, fate, readPage } from "../../../scripts/pages/read-page.mjs";
import { shownIds, stableText } from "../../../scripts/pages/stable-text.mjs";
import { root } from "../../repository/source-files.ts";

const pages = pageNames().map((name) => ({ name, text: readFileSync(join(root, name), "utf8") }));
const page = (...lines: readonly string[]) => `${lines.join("\n")}\n`;

describe("every page of the documentation", () => {
  it("has its commands run, or says why they are not", () => {
    const reasons: Record<string, number> = {};
    for (const { name, text } of pages) {
      for (const block of commandBlocks(text)) {
        if (fate(block) !== "not run") continue;
        const entry = `${name}: ${block.marks["not run"]}`;
        reasons[entry] = (reasons[entry] ?? 0) + 1;
      }
    }
    // Whoever adds one gives the reason here, too.
    expect(reasons).toEqual({
      "docs/ci.md: needs a Vault": 1,
      "docs/ci.md: needs an account at a cloud": 2,
      "docs/how-to/recover-from-a-half-apply.md: the page kills an apply of its own, and waits no longer than it must": 1,
      "docs/how-to/rotate-a-certificate.md: the page's own certificates last for a century, so that its outputs stay the same": 1,
      "docs/library.md: a test compiles and runs this program": 1,
      "docs/serve.md: needs a PostgreSQL": 1,
    });
  });

  it("has no block with commands that the script does not see", () => {
    const missed = pages.flatMap(({ name, text }) => {
      const seen = new Set(commandBlocks(text).map(({ line }) => line));
      const lines = text.split("\n");
      let fence: string | null = null;
      return lines.flatMap((line, index) => {
        const [, mark = "", language = ""] = /^[\s>]*(?:[-*] |\d+\. )?(```+|~~~+)\s*(\S*)/.exec(line) ?? [];
        if (mark === "" || (fence !== null && mark !== fence)) return [];
        const opens = fence === null;
        fence = opens ? mark : null;
        const prompts = /^\s*\$ /.test(lines[index + 1] ?? "");
        const commands = /^(sh|bash|zsh|shell|console|shell-session|powershell|pwsh|cmd)$/i.test(language) || prompts;
        return opens && commands && !seen.has(index + 1) ? [`${name}:${index + 1}`] : [];
      });
    });
    expect(missed).toEqual([]);
  });

  it("has no comment that looks like a mark and is none", () => {
    const known = /^(not run: \S|no output$|typed: |file: \S|output: |reads: .+ => |prepare\n|check\n)/;
    const others = /^(\/output|\/?source\b|\/?bench:|\w+:(begin|end)|Generated )/;
    const odd = pages.flatMap(({ name, text }) =>
      [...text.replaceAll(/^ *```[\s\S]*?^ *```/gm, "").matchAll(/<!-- ([\s\S]*?) ?-->/g)]
        .map(([, comment = ""]) => comment)
        .filter((comment) => !known.test(comment) && !others.test(comment))
        .map((comment) => `${name}: ${comment}`),
    );
    expect(odd).toEqual([]);
  });
});

describe("a page that is followed", () => {
  it("shows what its commands print now, in one shell", async () => {
    const before = page(
      "# Page",
      "",
      "```console",
      "$ a=1",
      "$ echo $a",
      "old",
      "$ printf '%s\\n' x \\",
      "    y",
      "```",
      "after",
    );
    const after = page(
      "# Page",
      "",
      "```console",
      "$ a=1",
      "$ echo $a",
      "1",
      "$ printf '%s\\n' x \\",
      "    y",
      "x",
      "y",
      "```",
      "after",
    );
    expect(await followPage("page.md", before)).toBe(after);
    expect(await followPage("page.md", after)).toBe(after);
  });

  it("fails with the line where a command ends otherwise than it says", async () => {
    const failing = page("", "```console", "$ false", "```");
    await expect(followPage("page.md", failing)).rejects.toThrow("page.md:2: false: exit code 1, expected 0");
    const expected = page("```console", "$ sh -c 'exit 3'   # always exits with 3", "```");
    expect(await followPage("page.md", expected)).toBe(expected);
    await expect(followPage("page.md", expected.replace("'exit 3'", "'exit 0'"))).rejects.toThrow(
      "exit code 0, expected 3",
    );
    await expect(followPage("page.md", page("```sh", "exit 0", "```"))).rejects.toThrow("ended the shell");
  });

  it("fails where its goal is not reached", async () => {
    const text = page("```sh", "mkdir goal", "```", "", "<!-- check", "[ -d goal ]", "-->");
    expect(await followPage("page.md", text)).toBe(text);
    await expect(followPage("page.md", text.replace("mkdir goal", ":"))).rejects.toThrow(
      "page.md:5: check: [ -d goal ]",
    );
  });

  it("writes files, reads what stands for something else, and types", async () => {
    const text = page(
      "<!-- reads: https://api.example.com => http://127.0.0.1:8080 -->",
      "<!-- file: dir/file -->",
      "```yaml",
      "at: https://api.example.com",
      "```",
      "<!-- typed: hello -->",
      "```console",
      "$ read answer; echo $answer; cat dir/file",
      "hello",
      "at: https://api.example.com",
      "```",
      "<!-- check",
      "grep -q 'http://127.0.0.1:[0-9]*$' dir/file",
      "-->",
    );
    expect(await followPage("page.md", text)).toBe(text);
  });

  it("does not run what it says is not run", async () => {
    const text = page("<!-- not run: needs a cluster -->", "```console", "$ exit 1", "```");
    expect(await followPage("page.md", text)).toBe(text);
    expect(() => readPage(page("<!-- not run: needs a cluster -->", "", "text"))).toThrow(
      "no block follows <!-- not run -->",
    );
    expect(() => readPage("<!-- no output -->\n")).toThrow("no block follows <!-- no output -->");
  });
});

describe("shown output", () => {
  const id = (prefix: string, letter: string) => `${prefix}_${letter.repeat(27)}`;

  it("numbers ids for each kind, narrows tables, and reads the numbers back", () => {
    const ids = shownIds();
    const [one, two, edge] = [id("cert", "a"), id("cert", "b"), id("edgtls", "c")];
    expect(ids.show(`${two} ${edge} ${one} ${two} cert_2mQ8www`)).toBe(
      "cert_0001 edgtls_0001 cert_0002 cert_0001 cert_2mQ8www",
    );
    expect(ids.show(`RESOURCE${" ".repeat(26)}OWNER\n${one}  none\n`)).toBe("RESOURCE   OWNER\ncert_0002  none\n");
    expect(ids.real("curl /certs/cert_0002")).toBe(`curl /certs/${one}`);
  });

  it("has no time, duration or checksum that differs from run to run", () => {
    expect(stableText("took 123 ms at 2031-02-03T04:05:06.789Z, sha256:0123456789abcdef")).toBe(
      "took 40 ms at 2024-01-01T12:00:00Z, sha256:…",
    );
    expect(stableText("op-10 b\nop-2 a\n")).toBe("op-2 a\nop-10 b\n");
  });
});
