import { type CST, Lexer, Parser } from "yaml";
import { limits } from "../core/limits.js";

/** The last item of {@link readTokens} when a document exceeds a limit. */
export interface LimitExceeded {
  readonly type: "excess";
  readonly offset: number;
  readonly of: "depth" | "tokens" | "documents";
}

/**
 * The syntax trees of a stream, one per document. We drive the lexer ourselves because the parser returns only whole
 * documents: this is the only place that can stop in the middle of one.
 */
export function* readTokens(text: string): Generator<CST.Token | LimitExceeded, void> {
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
