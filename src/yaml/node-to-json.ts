import { type Alias, type Node, type Scalar, type YAMLMap, isAlias, isMap, isScalar } from "yaml";
import type { Json } from "../core/json.js";
import { limits } from "../core/limits.js";
import type { SyntaxProblem } from "./parsed-file.js";

/** Finds duplicate keys, too: the library is quadratic. */
export function nodeToJson(node: Node | null, report: (problem: SyntaxProblem) => void): Json {
  return node === null ? null : new Walk(report).convert(node);
}

const loneSurrogate = /\p{Surrogate}/u;

class Walk {
  readonly #anchors = new Map<string, Node>();
  readonly #open = new Set<Node>();
  /** By aliases, of texts one for every 100 characters. */
  #copied = 0;
  #inAlias = 0;
  /** With aliases expanded. */
  #depth = 0;

  constructor(private readonly report: (problem: SyntaxProblem) => void) {}

  convert(node: Node): Json {
    if (this.#inAlias > 0) {
      this.#copied += 1 + (isScalar(node) && typeof node.value === "string" ? node.value.length / 100 : 0);
      if (this.#copied > limits.aliasedNodes) return null;
    }
    if (isAlias(node)) return this.#resolve(node);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return this.#scalar(node);
    if (this.#depth >= limits.depth) {
      const message = `maps and lists are nested more than ${limits.depth} deep with aliases expanded`;
      return this.#refuse(node, "yaml-depth", message, "Reduce the nesting.");
    }
    this.#depth++;
    this.#open.add(node);
    const value = isMap(node) ? this.#map(node) : node.items.map((item) => this.convert(item as Node));
    this.#open.delete(node);
    this.#depth--;
    return value;
  }

  #refuse(node: Node | null, code: SyntaxProblem["code"], message: string, remedy?: string): null {
    this.report({ code, offset: node?.range?.[0] ?? 0, message, remedy });
    return null;
  }

  #resolve(alias: Alias): Json {
    const target = this.#anchors.get(alias.source);
    if (target === undefined) {
      // Its name may begin a secret.
      const message = "this alias has no anchor before it in the same document";
      const remedy = "Write the value out, or put quotes around a text that begins with *.";
      return this.#refuse(alias, "yaml-alias", message, remedy);
    }
    if (this.#open.has(target)) return this.#refuse(alias, "yaml-alias", "this alias is inside its own anchor");
    const wasSpent = this.#copied > limits.aliasedNodes;
    this.#inAlias++;
    const value = this.convert(target);
    this.#inAlias--;
    if (wasSpent || this.#copied <= limits.aliasedNodes) return value;
    const message = `the aliases of this document copy more than ${limits.aliasedNodes} values`;
    return this.#refuse(alias, "yaml-alias", message, "Write the values out, or split the document.");
  }

  #scalar(node: Scalar): Json {
    const { source, type, value } = node;
    if (typeof value === "string" && type === "QUOTE_DOUBLE" && loneSurrogate.test(value))
      return this.#refuse(node, "yaml-text", "this text holds half a character (\\uD800 to \\uDFFF)");
    if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
    if (
      typeof value === "number" &&
      Number.isFinite(value) &&
      (!Number.isInteger(value) || Number.isSafeInteger(value))
    )
      return value === 0 ? 0 : value;
    const message = `${source ?? "this value"} is a number that JSON can't represent exactly`;
    const quoted = source === undefined ? "" : `: "${source}"`;
    return this.#refuse(node, "yaml-number", message, `If it is meant as text, put it in quotes${quoted}.`);
  }

  #map(node: YAMLMap): Json {
    const object: { [member: string]: Json } = {};
    const seen = new Map<string, number>();
    for (const { key, value } of node.items) {
      const name = this.#key(key as Node | null);
      if (name === null) continue;
      const offset = (key as Node).range?.[0] ?? 0;
      const otherOffset = seen.get(name);
      if (otherOffset === undefined) {
        seen.set(name, offset);
        object[name] = value === null ? null : this.convert(value as Node);
        continue;
      }
      const message = `the key ${JSON.stringify(name)} is here twice, first`;
      const remedy = "Keep one of them, or write a line --- between two manifests.";
      this.report({ code: "yaml-duplicate-key", offset, otherOffset, message, remedy });
    }
    return object;
  }

  #key(key: Node | null): string | null {
    if (!isScalar(key)) return this.#refuse(key, "yaml-key", "a key must be text, not a map, list or alias");
    if (key.anchor !== undefined) this.#anchors.set(key.anchor, key);
    const { value } = key;
    if (value === "__proto__")
      return this.#refuse(key, "yaml-key", 'the key "__proto__" is not allowed', "Choose another name.");
    if (value === "<<" && key.type === "PLAIN") {
      return this.#refuse(key, "yaml-merge-key", "the merge key << is not part of YAML 1.2");
    }
    if (typeof value === "string") return value;
    const text = key.source ?? String(value);
    if (text === "") return this.#refuse(key, "yaml-key", "this key is empty", "Give it a name, or remove the colon.");
    const type = value === null ? "null" : typeof value === "boolean" ? "true or false" : "a number";
    const message = `the key ${text} is read as ${type}, and keys must be text`;
    return this.#refuse(key, "yaml-key", message, `Put quotes around it: "${text}".`);
  }
}
