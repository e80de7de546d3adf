import { isAlias, isMap, isScalar, isSeq, type Alias, type Node, type Scalar, type YAMLMap } from "yaml";
import type { Json } from "../core/json.js";
import { limits } from "../core/limits.js";
import type { SyntaxProblem } from "./parsed-file.js";
import { loneSurrogate } from "./plain/plain-values.js";

type Report = (problem: SyntaxProblem) => void;

/** The state of the walk over one document. */
interface Walk {
  readonly anchors: Map<string, Node>;
  readonly open: Set<Node>;
  readonly report: Report;
  /** The number of nodes copied through aliases; the walk stops copying at the limit. */
  copied: number;
  /** The number of characters in them. */
  characters: number;
  inAlias: number;
  /** The number of maps and lists around the node, with aliases expanded. */
  depth: number;
}

/**
 * The JSON value of a parsed document. Reports everything that JSON can't represent (keys other than strings, tags,
 * numbers that lose digits), and duplicate keys, which the library would find only in quadratic time.
 */
export function nodeToJson(node: Node | null, report: Report): Json {
  if (node === null) return null;
  return convert(node, { anchors: new Map(), open: new Set(), report, copied: 0, characters: 0, inAlias: 0, depth: 0 });
}

function convert(node: Node, walk: Walk): Json {
  if (walk.inAlias > 0) {
    walk.copied += 1;
    if (isScalar(node) && typeof node.value === "string") walk.characters += node.value.length;
    if (isSpent(walk)) return null;
  }
  if (isAlias(node)) return resolve(node, walk);
  if (node.anchor !== undefined) walk.anchors.set(node.anchor, node);
  if (isScalar(node)) return scalar(node, walk);
  if (walk.depth >= limits.depth) {
    const message = `maps and lists are nested more than ${limits.depth} deep with aliases expanded`;
    walk.report({
      code: "yaml-depth",
      offset: node.range?.[0] ?? 0,
      message,
      remedy: "Reduce the nesting; no manifest needs it.",
    });
    return null;
  }
  walk.depth++;
  walk.open.add(node);
  let value: Json = null;
  if (isMap(node)) value = map(node, walk);
  else if (isSeq(node)) value = node.items.map((item) => convert(item as Node, walk));
  walk.open.delete(node);
  walk.depth--;
  return value;
}

function resolve(alias: Alias, walk: Walk): Json {
  const offset = alias.range?.[0] ?? 0;
  const target = walk.anchors.get(alias.source);
  if (target === undefined) {
    walk.report({
      code: "yaml-alias",
      offset,
      // Its name may be the beginning of a secret that lacks its quotes.
      message: "this alias has no anchor before it in the same document",
      remedy: "Write the value out, or put quotes around a text that begins with *.",
    });
    return null;
  }
  if (walk.open.has(target)) {
    walk.report({ code: "yaml-alias", offset, message: "this alias is inside its own anchor" });
    return null;
  }
  const before = isSpent(walk);
  walk.inAlias++;
  const value = convert(target, walk);
  walk.inAlias--;
  if (!before && isSpent(walk)) {
    walk.report({
      code: "yaml-alias",
      offset,
      message: `the aliases of this document copy more than ${limits.aliasedNodes} values or ${limits.aliasedCharacters} characters`,
      remedy: "Write the values out, or split the document.",
    });
  }
  return value;
}

/** Whether aliases have copied more than the limit. */
function isSpent({ characters, copied }: Walk): boolean {
  return copied > limits.aliasedNodes || characters > limits.aliasedCharacters;
}

function scalar(node: Scalar, walk: Walk): Json {
  const value = node.value;
  if (typeof value === "string" && node.type === "QUOTE_DOUBLE" && loneSurrogate.test(value)) {
    const offset = node.range?.[0] ?? 0;
    walk.report({ code: "yaml-text", offset, message: "this text holds half a character (\\uD800 to \\uDFFF)" });
    return null;
  }
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (
    typeof value === "number" &&
    Number.isFinite(value) &&
    !(Number.isInteger(value) && !Number.isSafeInteger(value))
  ) {
    return value === 0 ? 0 : value;
  }
  walk.report({
    code: "yaml-number",
    offset: node.range?.[0] ?? 0,
    message: `${node.source ?? "this value"} is a number that JSON can't represent exactly`,
    remedy: `If it is meant as text, put it in quotes${node.source === undefined ? "" : `: "${node.source}"`}.`,
  });
  return null;
}

function map(node: YAMLMap, walk: Walk): Json {
  const object: { [member: string]: Json } = {};
  const seen = new Map<string, number>();
  for (const { key, value } of node.items) {
    const name = keyOf(key as Node | null, walk);
    if (name === null) continue;
    const offset = (key as Node).range?.[0] ?? 0;
    const otherOffset = seen.get(name);
    if (otherOffset !== undefined) {
      if (walk.depth === 1 && (name === "apiVersion" || name === "kind")) {
        walk.report({ code: "yaml-duplicate-key", offset, ...secondManifest, otherOffset });
        break;
      }
      walk.report({
        code: "yaml-duplicate-key",
        offset,
        otherOffset,
        message: `the key ${JSON.stringify(name)} is here twice, first`,
        remedy: "Keep one of them; YAML would silently drop the other.",
      });
      continue;
    }
    seen.set(name, offset);
    object[name] = value === null ? null : convert(value as Node, walk);
  }
  return object;
}

/** Two manifests that YAML reads as one. */
const secondManifest = {
  message: "a second manifest begins here without a line --- before it; the first one begins",
  remedy: "Write a line --- above this line.",
};

/** A key's text; null, with a report, when it is not a string. */
function keyOf(key: Node | null, walk: Walk): string | null {
  const offset = key?.range?.[0] ?? 0;
  if (!isScalar(key)) {
    walk.report({ code: "yaml-key", offset, message: "a key must be text, not a map, list or alias" });
    return null;
  }
  if (key.anchor !== undefined) walk.anchors.set(key.anchor, key);
  if (typeof key.value === "string") {
    if (key.value === "__proto__") {
      walk.report({
        code: "yaml-key",
        offset,
        message: `the key "__proto__" is not allowed`,
        remedy: "Choose another name.",
      });
      return null;
    }
    if (key.value === "<<" && key.type === "PLAIN") {
      walk.report({
        code: "yaml-merge-key",
        offset,
        message: "the merge key << is not part of YAML 1.2",
        remedy: "Write the members out; an alias (*name) can only replace a whole value.",
      });
      return null;
    }
    return key.value;
  }
  const text = key.source ?? String(key.value);
  walk.report({
    code: "yaml-key",
    offset,
    message:
      text === "" ? "this key is empty" : `the key ${text} is read as ${nameOfType(key.value)}, and keys must be text`,
    remedy: text === "" ? "Give it a name, or remove the colon." : `Put quotes around it: "${text}".`,
  });
  return null;
}

function nameOfType(value: unknown): string {
  if (value === null) return "null";
  return typeof value === "boolean" ? "true or false" : "a number";
}
