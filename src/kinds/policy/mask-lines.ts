import { countSecretRoots } from "../../secret-names.js";
import { MASK } from "../../secret.js";

/** Lines that are not shown, both ends included. */
interface Block {
  readonly first: number;
  readonly last: number;
}

/**
 * A text that is not JSON, with every line masked that may show a secret: each line with a telling word, and the block
 * around it as far as the lines are indented at least as deep; then the line that follows, which may hold the value of
 * a member that ends its line, and what belongs to that. Prefers hiding a harmless line to showing a secret.
 * Linear in the number of lines.
 */
export function maskLines(text: string): string {
  const lines = text.split(/\r\n|\r|\n/u);
  const indents = lines.map(indentOf);
  const deepAsOrDeeper = (at: number, indent: number): boolean => (indents[at] ?? -1) >= indent;
  const blocks: Block[] = [];
  const following: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (countSecretRoots(lines[at] ?? "") === 0) continue;
    const telling = at;
    const indent = indents[at] ?? 0;
    let first = at;
    while (deepAsOrDeeper(first - 1, indent)) {
      // A block that ends here is deeper, so all of it belongs to this one.
      const above = blocks.at(-1);
      first = above?.last === first - 1 ? above.first : first - 1;
      if (above?.first === first) blocks.pop();
    }
    while (deepAsOrDeeper(at + 1, indent)) at += 1;
    blocks.push({ first, last: at });
    // A block that begins within the last one would end with it.
    if (at + 1 > (following.at(-1)?.last ?? -1)) {
      let end = at;
      while (end > telling && indents[end] === Number.POSITIVE_INFINITY) end -= 1;
      const opens = end === telling && /[:=|>][-+\d]*\s*$/u.test(lines[telling] ?? "");
      following.push(followingBlock(lines, indents, at + 1, opens));
    }
  }
  for (const { first, last } of [...blocks, ...following]) lines.fill(MASK, first, last + 1);
  return lines.join("\n");
}

/** The lines from one on to the next that says anything; and where the line before opens a value, all of that. */
function followingBlock(lines: readonly string[], indents: readonly number[], first: number, opens: boolean): Block {
  let last = first;
  while (last < lines.length - 1 && !/[\p{L}\d]/u.test(lines[last] ?? "")) last += 1;
  const indent = indents[last] ?? 0;
  if (!opens) return { first, last };
  while ((indents[last + 1] ?? -1) >= indent) last += 1;
  return { first, last };
}

/** The column of the first letter, list marks counted as indentation; a blank line belongs to what is around it. */
function indentOf(line: string): number {
  const column = line.search(/[^\s-]/u);
  return column === -1 ? Number.POSITIVE_INFINITY : column;
}
