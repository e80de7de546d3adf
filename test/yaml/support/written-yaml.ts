import fc from "fast-check";

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

/** A literal or folded text whose lines may be blank or indented further. */
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

/** Some or all line breaks become those of Windows. @param which 0 = all, 1 = none, n = each but every nth */
export function withReturns(text: string, which: number): string {
  let line = 0;
  return text.replaceAll("\n", () => (which === 0 || (which > 1 && line++ % which === 0) ? "\r\n" : "\n"));
}

/** A file of what people write: emoji, quotes, folded and literal texts, and either or both kinds of line breaks. */
export const written = fc
  .tuple(
    fc.array(nested(3), { minLength: 1, maxLength: 2 }),
    fc.nat(3),
    fc.constantFrom("", "# first\n\n# second 😀\n\n", "---\n", "--- # x\n"),
  )
  .map(([all, which, start]) => withReturns(start + all.map((make) => make(0)).join("---\n"), which));
