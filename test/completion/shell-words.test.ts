import fc from "fast-check";
import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { splitLine } from "../../src/completion/shell-words.ts";
import { runs } from "../support/runs.ts";

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
