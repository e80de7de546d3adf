import { wrap } from "../report/layout.js";
import type { Palette } from "../report/styles.js";
import type { Explanation, MemberLine } from "../schema/explain-field.js";

/** An explanation for the terminal, lines of at most `width` columns where words allow. */
export function explanationText(explanation: Explanation, paint: Palette, width: number): string {
  const { path, title, description, facts, members, examples } = explanation;
  const blocks: (readonly string[])[] = [[paint.bold(path)]];
  blocks.push(
    wrap(title === path || path.endsWith(`.${title}`) ? description : `${title}. ${description}`, width, "", ""),
  );
  if (facts.length > 0) blocks.push(facts.flatMap((fact) => factLines(fact, paint, width)));
  if (examples.length > 0) blocks.push([paint.bold("Examples"), ...examples.map((example) => `  ${example}`)]);
  if (members.length > 0) {
    blocks.push([
      paint.bold("Members") + paint.dim(" (* is required)"),
      ...members.flatMap((member) => memberLines(member, paint, width)),
    ]);
  }
  return blocks.map((lines) => lines.join("\n")).join("\n\n");
}

const labelWidth = 10;

function factLines([label, text]: readonly [string, string], paint: Palette, width: number): readonly string[] {
  const [first = "", ...rest] = wrap(text, width - labelWidth - 2, "", "");
  const indent = " ".repeat(labelWidth + 2);
  return [`  ${paint.dim(label.padEnd(labelWidth))}${first}`, ...rest.map((line) => indent + line)];
}

function memberLines(
  { name, required, type, description }: MemberLine,
  paint: Palette,
  width: number,
): readonly string[] {
  return [
    `  ${paint.bold(name)}${required ? "*" : ""}  ${paint.dim(type)}`,
    ...wrap(description, width, "      ", "      "),
  ];
}
