import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAny, parseFile } from "../../src/yaml/parse-file.ts";
import { readPlain } from "../../src/yaml/plain-reader.ts";
import { runs } from "../support/runs.ts";

const emoji = fc.constantFrom("😀", "❤️", "👩‍💻", "🇪🇺", "日本", "é", "𝒳", "ａ", "ไทย", "עברית");
const word = fc.constantFrom(
  "api",
  "a b",
  "x-1",
  "http://x/y",
  "12:30",
  "it's",
  "#1",
  "- no",
  "k: v",
  "[x]",
  "> y",
  "*",
);
const words = fc.array(fc.oneof(word, emoji), { minLength: 1, maxLength: 4 }).map((all) => all.join(" "));
const plainWords = fc
  .array(fc.oneof(fc.constantFrom("api", "x-1", "http://x/y", "12:30", "it's"), emoji), { minLength: 1, maxLength: 3 })
  .map((all) => all.join(" "));
const quoted = words.map((text) => JSON.stringify(text));
const singleQuoted = words.map((text) => `'${text.replaceAll("'", "''")}'`);
const comment = fc.constantFrom("", "", "", " # c", "  # 😀 why");

const block = fc
  .record({
    header: fc.constantFrom("|", "|-", "|+", ">", ">-", ">+"),
    comment,
    first: words,
    lines: fc.array(
      fc.oneof(
        { weight: 3, arbitrary: words },
        { weight: 1, arbitrary: words.map((text) => `  ${text}`) },
        { weight: 1, arbitrary: words.map((text) => ` ${text}  `) },
        { weight: 2, arbitrary: fc.constant("") },
      ),
      { maxLength: 6 },
    ),
    blanks: fc.constantFrom("", "", "\n", "\n\n", "# end\n", "\n# end\n\n"),
    indent: fc.constantFrom(2, 4),
  })
  .map(
    ({ blanks, first, header, indent, lines, ...given }) =>
      (column: number) =>
        `${header}${given.comment}\n${[first, ...lines].map((text) => (text === "" ? "" : " ".repeat(column + indent) + text)).join("\n")}\n${blanks}`,
  );

const inline = fc.oneof(
  plainWords,
  quoted,
  singleQuoted,
  fc.constantFrom("12", "true", "null", "-3", "{}", "[]"),
  fc.tuple(quoted, plainWords).map(([key, text]) => `{${key}: ${text.replaceAll(/[^\w😀]/gu, "x")}}`),
  fc.tuple(quoted, quoted).map(([a, b]) => `[${a}, {${a}:${b}}]`),
);
const keys = fc.oneof(fc.constantFrom("name", "x-y", "a.b", "😀", "ключ", "_"), quoted, singleQuoted);

const nested: fc.Memo<(column: number) => string> = fc.memo((depth) => {
  const scalars = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.tuple(inline, comment).map(
        ([text, after]) =>
          () =>
            ` ${text}${after}\n`,
      ),
    },
    { weight: 2, arbitrary: block.map((make) => (column: number) => ` ${make(column)}`) },
  );
  const inner =
    depth <= 1
      ? scalars
      : fc.oneof(
          { weight: 2, arbitrary: scalars },
          { weight: 1, arbitrary: nested().map((make) => (column: number) => `\n${make(column + 2)}`) },
        );
  const member = fc.tuple(keys, inner);
  return fc.oneof(
    {
      weight: 3,
      arbitrary: fc
        .uniqueArray(member, { minLength: 1, maxLength: 4, selector: ([key]) => key.replaceAll(/^["']|["']$/gu, "") })
        .map(
          (all) => (column: number) => all.map(([key, make]) => `${" ".repeat(column)}${key}:${make(column)}`).join(""),
        ),
    },
    {
      weight: 1,
      arbitrary: fc
        .array(inner, { minLength: 1, maxLength: 3 })
        .map((all) => (column: number) => all.map((make) => `${" ".repeat(column)}-${make(column)}`).join("")),
    },
  );
});

/** Some or all line breaks become those of Windows. */
function withReturns(text: string, which: number): string {
  let line = 0;
  return text.replaceAll("\n", () => (which === 0 || (which > 1 && line++ % which === 0) ? "\r\n" : "\n"));
}

const written = fc
  .tuple(
    fc.array(nested(3), { minLength: 1, maxLength: 2 }),
    fc.nat(3),
    fc.constantFrom("", "# first\n\n# second 😀\n\n", "---\n", "--- # x\n"),
  )
  .map(([all, which, start]) => withReturns(start + all.map((make) => make(0)).join("---\n"), which));

const isPlain = (text: string) => readPlain(text, parseAny) !== null;

/** Pieces that YAML reads in surprising ways, alone or beside one another. */
const pieces = [
  ..."a|name|- |- - |-|: |:|\n|\n  |\n    |\n |  |# c| # c|#|--- |---|---x|-x|--x".split("|"),
  ..."'x' 'it''s' \"q\" \"q\\n\" \"\\x41\" [ ] { } [a,b] {a:b} [-a] {'a':b} 1 0 -1 1.5 1e3 0x1 007 -0 +1 .5 1.2.3".split(
    " ",
  ),
  ..."null ~ true True yes ~x *a %a @ ` ? << __proto__ http://x a.b:443 12:30 . .. .a * é — … ... = < ! \" ' \\".split(
    " ",
  ),
  ..."|\n|-\n|+\n> \n&a \n!t \n, \n{ a: b }\n[- a]\n[a, b]\n{a : b}\n{a: 1, b: [c]}\na b\n? \nx: 1\nnull: 1\né: 1\n$(x)\n${{ vars.X }}".split(
    "\n",
  ),
  ..."---\n;\n---\n;\t;\r\n;|\n    text\n    more\n;|-\n  t\n\n  u\n;  \n;\n\n;z:\n- a\n- b\n;y:\n  ;a:   x   \n;a: b # c\n".split(
    ";",
  ),
];

/** What people write that the plain reader reads in ways of its own. */
const newer = [
  ..."😀|a😀b|❤️|👩‍💻 x|😀: 1|'😀': 1|\"😀\": x|# 😀|名前: 値|[😀, a 😀]|{😀: 😀}|\ud83d|\ude00|日本（東京）|\u00a0|\u2028|\u3000|\ufeff".split(
    "|",
  ),
  ...`"a": 1|'b': 2|"": 3|"true": x|'1': 1|"a\\n": 1|'it''s': 1|"<<": 1|"__proto__": 1|"a":1|"a" : 1|"a" b: 1|'a'|"a": "b": c|{"a":1}|{"a":"b"}|{'a': b}|{"a":}|{"a" :1}|{"a"}|{"a":{"b":[1,"c"]}}|["a": 1]`.split(
    "|",
  ),
  ..."|\n;|-\n;|+\n;>\n;>-\n;>+\n;> # c\n;>#\n;>2\n;|-+\n;>-+\n;>x\n;||\n".split(";"),
  ..."\n;\n\n;\r\n;\r\n\r\n;\r;  \n; \r\n;    t\n;      u\n;   v  \n;  # no comment\n;# c\n;    \n;      \n;  - a\n;    b: c\r\n".split(
    ";",
  ),
];

const escaped = fc
  .tuple(
    fc.array(
      fc.constantFrom(
        ...'é a " \' : # \\\\ \\" \\/ \\n \\r \\t \\b \\f \\a \\0 \\e \\x41 \\x4 \\u00e9 \\u00E9 \\ud83d \\ude80 \\u0000 \\u0061 \\u005f \\u00e \\u00zz \\U0001f680 \\N \\_ \\'.split(
          " ",
        ),
        " ",
      ),
      { maxLength: 6 },
    ),
    fc.constantFrom('k: "@"\n', '"@": 1\n', 'a: 1\n"@": 1\n', 'a: ["@", b]\n', 'a: {"@": 1, k: "@"}\n', '- "@" # c\n'),
  )
  .map(([parts, frame]) => frame.replaceAll("@", () => parts.join("")));

const line = fc
  .tuple(
    fc.constantFrom(0, 0, 2, 2, 4, 6, 1),
    fc.constantFrom("k1:", "k2:", "k3:", "- ", "- k4:"),
    fc.constantFrom("", ...pieces),
    fc.constantFrom("\n", "\n", "\n", ""),
  )
  .map(([indent, key, value, end]) => `${" ".repeat(indent)}${key} ${value}${end}`);

const odd = fc
  .tuple(
    fc.array(fc.oneof(line, fc.constantFrom(...newer), fc.constantFrom("a: ", "b: ", "- ", "  c: ")), {
      maxLength: 10,
    }),
    fc.nat(3),
  )
  .map(([parts, which]) => withReturns(parts.join(""), which));

const mutated = fc
  .tuple(written, fc.nat(1000), fc.nat(4), fc.constantFrom(...pieces, ...newer))
  .map(
    ([text, at, cut, piece]) =>
      text.slice(0, at % (text.length + 1)) + piece + text.slice((at % (text.length + 1)) + cut),
  );

describe("plain documents", () => {
  it.each([
    ["what people write", written, 200],
    ["odd lines", odd, 200],
    ["what people write, with a mistake", mutated, 200],
    ["escapes", escaped, 200],
  ])("are read as the YAML library reads them: %s", (_what, given, count) => {
    fc.assert(
      fc.property(given, (text) => {
        expect(parseFile(text)).toEqual(parseAny(text));
      }),
      runs(count),
    );
  });

  it("the manifests of the examples are plain", () => {
    const folder = fileURLToPath(new URL("../../examples/", import.meta.url));
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
      /^(quickstart|production)\/.*\.yaml$/u.test(file),
    );
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      for (const text of readFileSync(join(folder, file), "utf8").split(/^---\n/mu)) {
        expect(isPlain(text), `${file}: ${text}`).toBe(true);
      }
    }
  });

  it.each([
    ["duplicate keys", "a: 1\na: 2\n"],
    ["__proto__", "__proto__: 1\n"],
    ["brackets without end", `a: ${"[".repeat(1000)}\n`],
  ])("%s are left to the library", (_what, text) => {
    expect(isPlain(text)).toBe(false);
  });
});
