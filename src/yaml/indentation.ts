/** A member or an item of a block, as its line shows it. */
interface BlockStart {
  /** From 1. */
  readonly column: number;
  readonly line: number;
  /** Of a member; null for an item. */
  readonly name: string | null;
  /** What follows its colon or dash. */
  readonly rest: string;
}

/** What is wrong with the indentation of a line. */
export interface IndentationProblem {
  /** Where the line's text begins. */
  readonly offset: number;
  readonly message: string;
  readonly remedy: string;
}

/** So much of a line is looked at, in characters. */
const longestLine = 300;

/** The name and the value of a member in one line. */
function memberIn(content: string): { readonly name: string; readonly rest: string } | null {
  if (/^[#{}[\],&*!|>%@-]/u.test(content)) return null;
  const quote = /^["']/u.exec(content)?.[0];
  const end = quote === undefined ? 0 : content.indexOf(quote, 1);
  const colon = end === -1 ? -1 : content.slice(end).search(/:(?:\s|$)/u);
  const name = content.slice(0, end + Math.max(0, colon)).trimEnd();
  if (colon === -1 || name === "" || name.includes(" #")) return null;
  const rest = content.slice(end + colon + 1).trim();
  const comment = rest.search(/(?:^|\s)#/u);
  return { name, rest: comment === -1 ? rest : rest.slice(0, comment).trimEnd() };
}

/** A line of the text: where its content begins, and what it is. */
class TextLine {
  readonly text: string;
  readonly indent: number;
  readonly content: string;

  constructor(
    readonly number: number,
    readonly start: number,
    line: string,
  ) {
    this.text = line.slice(0, longestLine);
    this.indent = this.text.length - this.text.trimStart().length;
    this.content = this.text.trim();
  }

  get hasContent(): boolean {
    return this.content !== "" && !this.content.startsWith("#") && !/^(?:---|\.\.\.)(?:\s|$)/u.test(this.text);
  }

  /** The items and the member that begin in this line. */
  get starts(): readonly BlockStart[] {
    const found: BlockStart[] = [];
    let column = this.indent + 1;
    let content = this.content;
    for (let dash = /^-(\s+|$)/u.exec(content); dash !== null; dash = /^-(\s+|$)/u.exec(content)) {
      content = content.slice(dash[0].length);
      found.push({ column, line: this.number, name: null, rest: content });
      column += dash[0].length;
    }
    const own = memberIn(content);
    if (own !== null) found.push({ column, line: this.number, ...own });
    return found;
  }
}

/**
 * What is wrong with the indentation of the line at an offset, or of the line below it: the parser notices some lines
 * that are too far in only where the value before them begins. Looks at the text of one document alone.
 * @param from where the document begins
 * @returns null when the indentation is not what is wrong
 */
export function indentationProblem(text: string, from: number, offset: number): IndentationProblem | null {
  const lines = linesBetween(text, from, offset);
  const at = lines.findLast(({ start }) => start <= offset);
  if (at === undefined) return null;
  const below = lines.find((line) => line.number > at.number && line.hasContent);
  if (below !== undefined && below.starts.length > 0 && isTooDeep(below, at, lines)) return tooDeep(below, at);
  if (!at.hasContent) return null;
  const blocks = openBlocks(lines, at);
  const owner = at.starts.at(-1);
  if (below !== undefined && owner !== undefined && isItemOutside(below, owner, blocks)) return outside(below, owner);
  const before = lines.findLast((line) => line.number < at.number && line.hasContent);
  const last = before?.starts.at(-1);
  if (before === undefined || last === undefined) return null;
  if (/^[|>]/u.test(last.rest) && at.indent + 1 <= last.column) return textNotIndented(at, last);
  if (at.starts.length > 0 && isTooDeep(at, before, lines)) return tooDeep(at, before);
  // The first line inside of a block may begin anywhere.
  if (last.rest === "" && at.indent + 1 > last.column) return null;
  return misaligned(at, blocks);
}

function linesBetween(text: string, from: number, offset: number): readonly TextLine[] {
  const lines: TextLine[] = [];
  let number = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < from; at = text.indexOf("\n", at + 1)) number++;
  let below = 0;
  for (let start = text.lastIndexOf("\n", from - 1) + 1; start < text.length && below < 3; number++) {
    const end = text.indexOf("\n", start);
    const line = new TextLine(number, start, text.slice(start, end === -1 ? text.length : end));
    lines.push(line);
    // A few lines more, for the line below.
    if (start > offset && line.hasContent) below++;
    if (end === -1) break;
    start = end + 1;
  }
  return lines;
}

/** Whether a line begins further in than the one above it although nothing can be inside that. */
function isTooDeep(line: TextLine, above: TextLine, lines: readonly TextLine[]): boolean {
  const last = above.starts.at(-1);
  if (last === undefined || /^(?:[|>&*]|$)/u.test(last.rest)) return false;
  if (/^[[{"']/u.test(last.rest) && !/[\]}"']$/u.test(last.rest)) return false;
  return line.indent + 1 > last.column && lines.includes(above);
}

function tooDeep(line: TextLine, above: TextLine): IndentationProblem {
  const like = above.starts.at(line.starts[0]?.name === null ? 0 : -1) ?? above.starts[0];
  const column = like?.column ?? 1;
  return {
    offset: line.start + line.indent,
    message: `this line begins further in than ${nameOf(like)} above it, which already has a value`,
    remedy: `Begin it in column ${column}, not ${line.indent + 1}, like ${nameOf(like)} in line ${above.number}.`,
  };
}

/** Whether a line is an item that begins further out than the member above it, which has no value without it. */
function isItemOutside(line: TextLine, owner: BlockStart, blocks: readonly BlockStart[]): boolean {
  const column = line.indent + 1;
  if (line.starts[0]?.name !== null || owner.name === null || owner.rest !== "" || column >= owner.column) return false;
  return !blocks.some((block) => block.name === null && block.column === column);
}

function outside(line: TextLine, owner: BlockStart): IndentationProblem {
  const name = nameOf(owner);
  return {
    offset: line.start + line.indent,
    message: `this item begins further out than ${name}, which it belongs to`,
    remedy: `Begin the items of ${name} in column ${owner.column + 2}, not ${line.indent + 1}.`,
  };
}

function textNotIndented(line: TextLine, owner: BlockStart): IndentationProblem {
  return {
    offset: line.start + line.indent,
    message: `the text of ${nameOf(owner)} must begin further in than ${nameOf(owner)} itself`,
    remedy: `Begin each of its lines in column ${owner.column + 2}.`,
  };
}

/** The line begins in a column in which nothing above it does, or in that of a list's dashes. */
function misaligned(line: TextLine, blocks: readonly BlockStart[]): IndentationProblem | null {
  const column = line.indent + 1;
  const isItem = line.starts[0]?.name === null;
  if (line.starts.length === 0) return null;
  const inItem = blocks.findIndex((block) => block.column === column && block.name === null);
  const member = inItem === -1 || isItem ? undefined : blocks[inItem + 1];
  const offset = line.start + line.indent;
  if (member !== undefined) {
    const message = `this line begins in the column of the dash in line ${member.line}, so that it is not a part of that item`;
    return {
      offset,
      message,
      remedy: `Begin it in column ${member.column}, like ${nameOf(member)} in line ${member.line}.`,
    };
  }
  if (blocks.some((block) => block.column === column && (block.name === null) === isItem)) return null;
  const others = blocks.some((block) => block.column === column);
  const fitting = blocks
    .filter((block) => (block.name === null) === isItem)
    .toSorted((a, b) => Math.abs(a.column - column) - Math.abs(b.column - column))
    .slice(0, 2)
    .toSorted((a, b) => b.column - a.column);
  const [first, second] = fitting;
  if (first === undefined) return null;
  const or =
    second === undefined ? "" : `, or in column ${second.column}, like ${nameOf(second)} in line ${second.line}`;
  return {
    offset,
    message: `this ${isItem ? "item" : "line"} begins in column ${column}, where no ${others ? (isItem ? "item" : "member") : "line"} above it does`,
    remedy: `Begin it in column ${first.column}, like ${nameOf(first)} in line ${first.line}${or}.`,
  };
}

/** The members and items that a line may belong beside, from the outside in. */
function openBlocks(lines: readonly TextLine[], until: TextLine): readonly BlockStart[] {
  const open: BlockStart[] = [];
  let textOf = 0;
  for (const line of lines) {
    if (line.number >= until.number) break;
    if (!line.hasContent || (textOf > 0 && line.indent + 1 > textOf)) continue;
    textOf = 0;
    for (const start of line.starts) {
      while (open.some((block) => block.column > start.column || closes(start, block))) open.pop();
      open.push(start);
      if (/^[|>]/u.test(start.rest)) textOf = start.column;
    }
  }
  return open;
}

/** Whether one begins where the other was. A list may begin in the column of its key. */
function closes(start: BlockStart, block: BlockStart): boolean {
  return block.column === start.column && !(start.name === null && block.name !== null);
}

/** Keys are not secrets, but what looks like one in a broken text may be. */
function nameOf(block: BlockStart | undefined): string {
  if (block === undefined) return "the line";
  if (block.name === null) return "the item";
  return /^[A-Za-z_][\w./-]{0,60}$/u.test(block.name) ? block.name : "the member";
}
