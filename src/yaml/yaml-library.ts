import { createRequire } from "node:module";
import type * as Yaml from "yaml";
import type { Alias, CST, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { limits } from "../limits.js";

const require = createRequire(import.meta.url);
let loaded: typeof Yaml | undefined;

/** The YAML library, loaded when first needed: loading it takes as long as starting Node, and plain documents need none. */
export function yaml(): typeof Yaml {
  loaded ??= require("yaml") as typeof Yaml;
  return loaded;
}

/** Whether a node is `*name`. */
export function isAlias(node: unknown): node is Alias {
  return yaml().isAlias(node);
}

/** Whether a node is a map. */
export function isMap(node: unknown): node is YAMLMap {
  return yaml().isMap(node);
}

/** Whether a node is a scalar. */
export function isScalar(node: unknown): node is Scalar {
  return yaml().isScalar(node);
}

/** Whether a node is a list. */
export function isSeq(node: unknown): node is YAMLSeq {
  return yaml().isSeq(node);
}

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
