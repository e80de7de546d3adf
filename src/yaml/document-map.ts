import { type Document, type Node, Parser, isAlias, isMap, isScalar, isSeq, visit } from "yaml";
import { type DocumentPath, isSensitive } from "../core/document-path.js";
import { newComposer } from "./parse-file.js";

export type SourceSpan = Readonly<{ start: number; end: number }>;

/** Parses a document again: keeping all syntax trees would double the memory. */
export class DocumentMap {
  readonly #contents: Node | null;
  readonly #anchors = new Map<string, Node>();

  constructor(
    text: string,
    private readonly base: number,
  ) {
    const [document] = newComposer().compose(new Parser().parse(text)) as Iterable<Document.Parsed>;
    this.#contents = document?.contents ?? null;
    visit(this.#contents, (_key, node) => {
      if ((isMap(node) || isSeq(node) || isScalar(node)) && node.anchor !== undefined)
        this.#anchors.set(node.anchor, node);
    });
  }

  /** Of the nearest existing parent, if need be. */
  find(path: DocumentPath, at: "key" | "value"): SourceSpan {
    let key: Node | null = this.#contents;
    let value: Node | null = this.#contents;
    for (const step of path) {
      const found = child(this.#follow(value), step);
      if (found === null) return this.#span(key);
      ({ key, value } = found);
    }
    return this.#span(at === "key" || value === null || !isCompact(value) ? key : value);
  }

  secretSpans(): readonly SourceSpan[] {
    const spans: SourceSpan[] = [];
    const walk = (node: Node | null, secret: boolean): void => {
      if (isSeq(node)) for (const item of node.items) walk(item as Node | null, secret);
      else if (isMap(node)) for (const { key, value } of node.items) walk(value as Node | null, inSecret(key, secret));
      else if (secret) for (const found of [node, this.#follow(node)]) spans.push(this.#span(found));
    };
    walk(this.#contents, false);
    return spans;
  }

  #follow(node: Node | null): Node | null {
    return isAlias(node) ? (this.#anchors.get(node.source) ?? null) : node;
  }

  #span(node: Node | null): SourceSpan {
    const [start, end] = node?.range ?? [0, 0];
    return { start: this.base + start, end: this.base + end };
  }
}

/** The name of a variable or a file is no secret. */
function inSecret(key: unknown, secret: boolean): boolean {
  const name = isScalar(key) ? String(key.value) : "";
  return secret ? name !== "env" && name !== "file" : isSensitive([name]);
}

function isCompact(node: Node): boolean {
  if (isMap(node) || isSeq(node)) return node.flow === true;
  return !(isScalar(node) && node.source === "");
}

function child(node: Node | null, step: string | number): Readonly<{ key: Node | null; value: Node | null }> | null {
  if (isSeq(node) && typeof step === "number" && step < node.items.length) {
    const item = (node.items[step] ?? null) as Node | null;
    return { key: item, value: item };
  }
  if (!isMap(node)) return null;
  const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
  return pair === undefined ? null : { key: pair.key as Node | null, value: pair.value as Node | null };
}
