import { describe, expect, it } from "vitest";
import { exceeds, pagerWords, splitWords } from "../../src/commands/support/pager.ts";
import { showResult } from "../../src/commands/support/output.ts";
import { guarded } from "../../src/commands/support/io.ts";
import { memoryIo } from "./memory-io.ts";

describe("splitWords", () => {
  it.each([
    ["less", ["less"]],
    [`"/my programs/less" -P'a b' c\\ d`, ["/my programs/less", "-Pa b", "c d"]],
    [`'a\\b' "a\\"b"`, ["a\\b", 'a"b']],
    ["less $(id); `id` | cat ~", ["less", "$(id);", "`id`", "|", "cat", "~"]],
    ["less 'open", null],
  ])("%s", (line, words) => {
    expect(splitWords(line)).toEqual(words);
  });
});

describe("pagerWords", () => {
  it.each([
    [{}, ["less"]],
    [{ PAGER: "most", EDGEWISE_PAGER: "bat -p" }, ["bat", "-p"]],
    [{ PAGER: "most", EDGEWISE_PAGER: "" }, null],
    [{ PAGER: "cat" }, null],
    [{ CI: "true" }, null],
    [{ TERM: "dumb" }, null],
  ])("%j", (env, words) => {
    expect(pagerWords({ TERM: "xterm", ...env })).toEqual(words);
  });
});

describe("exceeds", () => {
  it("counts lines, also those that wrap, and leaves one for the prompt", () => {
    const screen = { rows: 4, columns: 10 };
    expect(exceeds("a\nb\nc\n", screen)).toBe(false);
    expect(exceeds("a\nb\nc\nd\n", screen)).toBe(true);
    expect(exceeds("a\n01234567890123456789\n", screen)).toBe(false);
    expect(exceeds("a\n012345678901234567890\n", screen)).toBe(true);
    expect(exceeds("\u001b[31m0123456789\u001b[39m\nb\nc", screen)).toBe(false);
  });
});

describe("showResult", () => {
  const paging = (isShown: boolean) => {
    const pages: string[] = [];
    const plain = memoryIo();
    const io = guarded({
      ...plain,
      env: { EDGEWISE_API_KEY: "a-key-to-be-masked" },
      page: async (text) => {
        pages.push(text);
        return isShown;
      },
    });
    return { io, pages, out: plain.out };
  };

  it("shows text once", async () => {
    const { io, out, pages } = paging(true);
    await showResult("a long result", {}, io);
    expect(pages).toEqual(["a long result\n"]);
    expect(out()).toBe("");
  });

  it("writes what no pager has shown", async () => {
    const { io, out } = paging(false);
    await showResult("text", {}, io);
    expect(out()).toBe("text\n");
  });

  it("gives the pager nothing but text", async () => {
    const { io, out, pages } = paging(true);
    await showResult("{}", { output: "json" }, io);
    await showResult("text", { pager: false }, io);
    expect(pages).toEqual([]);
    expect(out()).toBe("{}\ntext\n");
  });
});
