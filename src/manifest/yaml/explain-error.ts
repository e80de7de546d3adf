import type { ErrorCode, YAMLError } from "yaml";
import type { SyntaxProblem } from "./parsed-file.js";

type ErrorText = Pick<SyntaxProblem, "code" | "message" | "remedy">;

const messagesByCode: { readonly [C in ErrorCode]?: ErrorText } = {
  TAB_AS_INDENT: {
    code: "yaml-syntax",
    message: "a tab is used for indentation",
    remedy: "Indent with spaces: YAML does not allow tabs there.",
  },
  BAD_INDENT: {
    code: "yaml-syntax",
    message: "the indentation does not fit the lines above",
    remedy: "Members of one map begin in the same column.",
  },
  BLOCK_AS_IMPLICIT_KEY: {
    code: "yaml-syntax",
    message: "a map begins where a single value is expected",
    remedy: "Put the map on its own lines, indented further, or put quotes around a text that holds a colon.",
  },
  MULTILINE_IMPLICIT_KEY: {
    code: "yaml-syntax",
    message: "a key goes over more than one line; a colon is missing, or a quote or bracket is not closed",
    remedy: "Write `key: value` on one line, and look for the colon, quote or bracket that is missing.",
  },
  MULTIPLE_ANCHORS: { code: "yaml-syntax", message: "a value has two anchors", remedy: "Keep one of them." },
  MULTIPLE_TAGS: { code: "yaml-tag", message: "a value has two tags", remedy: "Tags are not needed in manifests." },
  BAD_DQ_ESCAPE: {
    code: "yaml-syntax",
    message: "an escape inside double quotes is not known",
    remedy: "Write a backslash as \\\\, or use single quotes, where it needs no escape.",
  },
  BAD_SCALAR_START: {
    code: "yaml-syntax",
    message: "a plain text can't begin with this character",
    remedy: "Put quotes around the text.",
  },
};

/**
 * What the YAML library's error means for whoever wrote the file.
 * @param quoteBefore where the quoted text begins that ends at an offset; what is not closed is shown at its start
 */
export function explainError(error: YAMLError, quoteBefore: (end: number) => number | null): SyntaxProblem {
  const offset = error.pos[0];
  if (/missing closing ['"]/iu.test(error.message)) {
    return {
      code: "yaml-syntax",
      offset: quoteBefore(offset) ?? offset,
      message: "a quote is opened here and never closed",
      remedy: "Close it; inside double quotes write \\\" for a quote, inside single quotes write ''.",
    };
  }
  if (/^Flow (map|sequence) in block collection/iu.test(error.message)) {
    return {
      code: "yaml-syntax",
      offset,
      message: `a ${error.message.includes("map") ? "{" : "["} that was opened above is not closed before this line`,
      remedy: "Close it, or indent what belongs to it further.",
    };
  }
  const known = messagesByCode[error.code];
  if (known !== undefined) return { ...known, offset };
  if (error.code === "TAG_RESOLVE_FAILED") {
    return {
      code: "yaml-tag",
      offset,
      message: "tags (!name) are not allowed in manifests",
      remedy: "Take the tag away; put quotes around a text that begins with an exclamation mark.",
    };
  }
  if (error.code === "BAD_DIRECTIVE") {
    return { code: "yaml-directive", offset, message: "this directive is not known", remedy: "Take the line away." };
  }
  return { ...fromLibraryMessage(error.message), offset };
}

/** The library's own words quote the source now and then (which may be a secret) and begin with a capital. */
function fromLibraryMessage(message: string): ErrorText {
  const [bare = ""] = message.split(/[:;"'`]/u);
  const words = bare.replace(/\s+/gu, " ");
  let end = words.length;
  while (end > 0 && /[\s.]/u.test(words.charAt(end - 1))) end -= 1;
  const first = words.slice(0, end);
  return {
    code: "yaml-syntax",
    message: `this is not valid YAML: ${first.charAt(0).toLowerCase()}${first.slice(1)}`,
    remedy: "Look at this line and the one above it for a missing colon, quote, bracket or space.",
  };
}
