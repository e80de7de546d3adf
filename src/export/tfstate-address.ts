import { unicodeEscape } from "../text/safe-json.js";
import { escapeActive } from "../text/visible.js";

/** Where something stands in a Terraform configuration, as its state has it. */
export interface TfLocation {
  /** `module.edges["eu"].module.tls`; empty = the root module. */
  readonly module: string;
  readonly type: string;
  readonly name: string;
  /** The index of `count`, the key of `for_each`, or neither. */
  readonly key: string | number | undefined;
}

/** The address as Terraform writes and reads it, and the words in it that tell resources apart. */
export interface TfAddress {
  /** What inside the resource is meant: `.routes[0]`; empty = all of it. */
  readonly inside: string;
  /** On one line, with nothing in it that a terminal could act upon: `acme_reserved_addr.tcp["eu"]`. */
  readonly text: string;
  /** The names of the modules, with their keys, then the name of the resource, with its key. */
  readonly words: readonly string[];
}

const identifier = /^[\p{ID_Start}_][\p{ID_Continue}-]*$/u;

/** The address of a resource; null when Terraform writes none like it. */
export function tfAddress({ key, module, name, type }: TfLocation): TfAddress | null {
  const path = moduleWords(module);
  if (path === null || !identifier.test(type) || !identifier.test(name)) return null;
  if (typeof key === "number" && (!Number.isSafeInteger(key) || key < 0)) return null;
  const index = key === undefined ? "" : typeof key === "number" ? `[${key}]` : `[${quoted(key)}]`;
  const text = `${module === "" ? "" : `${module}.`}${type}.${name}${index}`;
  return {
    inside: "",
    text: escapeActive(text, unicodeEscape).replaceAll("\n", "\\n").replaceAll("\t", "\\t"),
    words: [...path, name, ...(key === undefined ? [] : [String(key)])],
  };
}

/** The address of something that an attribute of a resource lists. */
export function addressInside({ inside, text, words }: TfAddress, attribute: string, index: number): TfAddress {
  return {
    inside: `${inside}.${attribute}[${index}]`,
    text,
    words: [...words, attribute.replace(/s$/u, ""), String(index)],
  };
}

/** A text as Terraform's language quotes it. */
function quoted(text: string): string {
  const escaped = text
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t")
    .replaceAll("${", () => "$${")
    .replaceAll("%{", "%%{");
  return `"${escaped}"`;
}

/** One module of a path, with its key if it has one, and the dot before the next. */
const moduleStep = /module\.([\p{ID_Start}_][\p{ID_Continue}-]*)(?:\[([0-9]+|"(?:[^"\\]|\\.)*")\])?(?:\.|$)/suy;

/** The names and keys in the path of a module; null when it is not one. */
function moduleWords(module: string): readonly string[] | null {
  const words: string[] = [];
  moduleStep.lastIndex = 0;
  for (let end = 0; end < module.length; end = moduleStep.lastIndex) {
    const step = moduleStep.exec(module);
    if (step === null) return null;
    const [, name = "", key] = step;
    words.push(name, ...(key === undefined ? [] : [key]));
  }
  return module.endsWith(".") ? null : words;
}
