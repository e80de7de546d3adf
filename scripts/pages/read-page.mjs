// Reads a page of documentation: its code blocks, and what its comments say about them. Readers don't see the comments.
// A command that should fail says so: "# exits with 1".
//
//   <!-- not run: REASON -->     the next block is not run
//   <!-- no output -->           the next block is run, and shows no output
//   <!-- typed: TEXT -->         what the commands of the next block read from the terminal
//   <!-- file: PATH -->          the next block is written into this file
//   <!-- reads: A => B -->       from here on, A in commands and files is run as B, and shown as A again in outputs
//   <!-- prepare … -->           commands between the words and the end are run, and not shown
//   <!-- check … -->             the same: they fail when the page's goal is not reached

/** Languages of code blocks that hold commands. Blocks without a language count when they have a prompt. */
const shells = new Set(["sh", "console", "bash", "shell", "shell-session", "zsh"]);
const aboutBlocks = ["not run", "no output", "typed", "file"];
const aboutPages = ["reads", "prepare", "check"];
const words = new RegExp(`^(${[...aboutBlocks, ...aboutPages].join("|")})\\b:?[ \\n]?([\\s\\S]*)$`);

const token =
  /<!-- (?<comment>[\s\S]*?) ?-->\n?|^(?<indent> *)(?<fence>```+|~~~+)(?<language>[\w-]*)[^\n]*\n(?<content>[\s\S]*?)^\k<indent>\k<fence>[ \t]*$\n?/gm;

/**
 * @typedef {{readonly type: "prose", readonly raw: string}} Prose
 * @typedef {{readonly type: "comment", readonly raw: string, readonly line: number, readonly word: string, readonly rest: string}} Comment
 * @typedef {{
 *   readonly type: "block", readonly raw: string, readonly line: number, readonly indent: string, readonly language: string,
 *   readonly content: string, readonly marks: Readonly<Record<string, string>>
 * }} Block
 */

/**
 * The parts of a page in order. Put together, their `raw` is the page. `prose` is whatever is neither a code block nor a
 * comment for this script.
 * @param {string} text
 * @returns {readonly (Prose | Comment | Block)[]}
 * @throws Error when a mark of a block has none
 */
export function readPage(text) {
  /** @type {(Prose | Comment | Block)[]} */
  const parts = [];
  /** @type {Record<string, string>} */
  let marks = {};
  let end = 0;
  const noneWaits = () => {
    if (Object.keys(marks).length > 0) throw new Error(`no block follows <!-- ${Object.keys(marks)[0]} -->`);
  };
  const prose = (raw) => {
    if (raw === "") return;
    if (raw.trim() !== "") noneWaits();
    parts.push({ type: "prose", raw });
  };
  for (const match of text.matchAll(token)) {
    prose(text.slice(end, match.index));
    end = match.index + match[0].length;
    const line = text.slice(0, match.index).split("\n").length;
    const { comment, indent, language, content } = match.groups;
    const part = { raw: match[0], line };
    if (comment === undefined) {
      parts.push({ ...part, type: "block", indent, language, content: unindented(content, indent), marks });
      marks = {};
      continue;
    }
    const [, word, rest = ""] = words.exec(comment) ?? [];
    if (word === undefined) prose(match[0]);
    else {
      // In a list, its lines are indented like itself.
      const [outer] = /[ ]*$/.exec(text.slice(0, match.index));
      parts.push({ ...part, type: "comment", word, rest: unindented(rest, outer).trim() });
      if (aboutBlocks.includes(word)) marks = { ...marks, [word]: rest.trim() };
    }
  }
  prose(text.slice(end));
  noneWaits();
  return parts;
}

/**
 * The blocks of a page that hold commands.
 * @param {string} text
 */
export function commandBlocks(text) {
  return readPage(text).filter(holdsCommands);
}

/**
 * Whether a part of a page is a block with commands.
 * @param {Prose | Comment | Block} part
 * @returns {part is Block}
 */
export function holdsCommands(part) {
  if (part.type !== "block") return false;
  return shells.has(part.language) || (part.language === "" && /^\$ |^(?:edgewise|npm|git|curl) /m.test(part.content));
}

/**
 * What becomes of a block with commands: it is run, written into a file, or not run for a reason.
 * @param {Block} block
 */
export function fate({ marks }) {
  if (marks["not run"] !== undefined) return "not run";
  if (marks.file !== undefined) return "file";
  return "run";
}

function unindented(content, indent) {
  return content.replaceAll(new RegExp(`^${indent}`, "gm"), "");
}
