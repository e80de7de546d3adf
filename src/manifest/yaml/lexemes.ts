import type { CST } from "yaml";
import { yaml } from "./library.js";
import { limits } from "../../limits.js";

/** What {@link readTokens} yields last when a document goes past the limits. */
export interface LimitExceeded {
  readonly type: "excess";
  readonly offset: number;
  readonly of: "depth" | "tokens" | "documents";
}

/**
 * The syntax trees of a stream, one per document. The lexer is driven by hand, as the parser holds
 * a whole document before it gives it out: this is the one place that can stop in the middle of one.
 */
export function* readTokens(text: string): Generator<CST.Token | LimitExceeded, void> {
  const { Lexer, Parser } = yaml();
  const parser = new Parser();
  let count = 0;
  let documents = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      if (token.type === "document") count = 0;
      if (token.type === "document" || token.type === "doc-end" || token.type === "directive") documents += 1;
      yield token;
    }
    if (parser.stack.length > 2 * limits.depth) return yield { type: "excess", offset: parser.offset, of: "depth" };
    if (documents > limits.documents) return yield { type: "excess", offset: parser.offset, of: "documents" };
    if (++count > limits.yamlTokens) return yield { type: "excess", offset: parser.offset, of: "tokens" };
  }
  yield* parser.end();
}
