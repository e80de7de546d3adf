import fc from "fast-check";
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { ownWords, splitLine, unquoted } from "../../src/completion/shell-words.ts";
import { runs } from "../support/runs.ts";

describe("splitLine", () => {
  it.each([
    ["edgewise plan --only TLS", ["edgewise", "plan", "--only"], "TLS"],
    ["edgewise  plan\t", ["edgewise", "plan"], ""],
    ["edgewise show my\\ pl", ["edgewise", "show"], "my pl"],
    [`edgewise plan "a b" 'c d' e'f 'g"h " x`, ["edgewise", "plan", "a b", "c d", "ef gh "], "x"],
    [`edgewise plan "a \\" \\$ \\x" y`, ["edgewise", "plan", 'a " $ \\x'], "y"],
    ["edgewise plan > out -e p", ["edgewise", "plan", "-e"], "p"],
    ["edgewise plan 2", ["edgewise", "plan"], "2"],
    ["", [], ""],
  ])("%j", (line, words, text) => {
    expect(splitLine(line)).toMatchObject({ words, current: { text } });
  });

  it("tells open quotes, redirections, and what the shell will replace", () => {
    expect(splitLine(`edgewise plan --only "TLS`).current).toEqual({ text: "TLS", quote: '"', expands: false });
    expect(splitLine("edgewise plan --only 'T$x").current).toEqual({ text: "T$x", quote: "'", expands: false });
    for (const word of ["~/x", "$HOME/x", '"$HOME/x', "a*", "`x"])
      expect(splitLine(`edgewise show ${word}`).current.expands).toBe(true);
    expect(splitLine("edgewise plan > fi").redirects).toBe(true);
    expect(splitLine("edgewise plan > file ").redirects).toBe(false);
    expect(unquoted("a~b")).toEqual({ text: "a~b", quote: "", expands: false });
  });

  it("reads what bash reads, where nothing is to be replaced", () => {
    const piece = fc.oneof(
      fc.constantFrom(" ", "a", "B", "\\ ", "\\'", '\\"', "\\\\", "=", ":", "-", "/", "é"),
      fc.constantFrom("'a b'", "'\\'", '"a b"', '"\\""', '"\\a"', "''", '""'),
    );
    const lines = fc.sample(fc.array(piece, { maxLength: 12 }), runs(200));
    const texts = lines.map((pieces) => `x ${pieces.join("")}`);
    const code = `for line in "$@"; do eval "set -- $line"; printf '%s\\0' "$#" "$@"; done`;
    const parts = execFileSync("bash", ["-c", code, "bash", ...texts], { encoding: "utf8" }).split("\0");
    for (const text of texts) {
      const expected = parts.splice(0, 1 + Number(parts[0])).slice(1);
      expect([text, splitLine(`${text} `).words]).toEqual([text, expected]);
    }
  });
});

describe("ownWords", () => {
  it.each([
    [["edgewise", "plan"], ["plan"]],
    [["ew", "plan"], ["plan"]],
    [["/usr/bin/edgewise", "plan"], ["plan"]],
    [["node", ".edgewise/edgewise.mjs", "plan"], ["plan"]],
    [
      ["npx", "--no", "edgewise", "plan", "-e"],
      ["plan", "-e"],
    ],
    [["node", "server.js"], null],
    [["node"], null],
    [[], null],
  ])("%j", (words, own) => {
    expect(ownWords(words)).toEqual(own);
  });
});
