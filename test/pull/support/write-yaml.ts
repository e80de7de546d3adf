import { Alias, Document, type Scalar, type YAMLMap, parseDocument, visit } from "yaml";

const styles = ["PLAIN", "QUOTE_DOUBLE", "QUOTE_SINGLE", "BLOCK_LITERAL", "BLOCK_FOLDED"] as const;

/**
 * Writes a manifest in many of the styles that YAML has, as the seed has it.
 * @param odd whether it has anchors and tags, too, which nobody can edit safely
 * @returns its text, that of each field of its spec, and whether these have lines of their own
 */
export function writeYaml(manifest: { readonly spec: object }, seed: number, odd: boolean): Written {
  let state = seed;
  const once = (of: number): boolean => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % of === 0;
  };
  const pick = <T>([first, ...more]: readonly [T, ...T[]]): T => more.find(() => once(more.length + 1)) ?? first;
  const document = new Document(manifest);
  const anchors = new Map<unknown, string>();
  visit(document, {
    Collection: (_, node) => void (node.flow = once(4)),
    Map(_, node) {
      node.flow = once(4);
      node.items.sort(() => (once(2) ? 1 : -1));
    },
    Scalar(key, node, path) {
      const isFirst = key === "key" && (path.at(-2) as YAMLMap | undefined)?.items[0] === path.at(-1);
      if (once(6) && !isFirst) node[key === "key" ? "commentBefore" : "comment"] = " c - a: [b] {x}";
      if (typeof node.value === "string") node.type = pick(key === "key" ? ["PLAIN", "QUOTE_SINGLE"] : styles);
      if (key === "key" || typeof node.value !== "string" || !odd || path.length < 5) return undefined;
      const anchor = anchors.get(node.value);
      if (anchor !== undefined) return new Alias(anchor);
      if (once(10)) node.tag = "tag:yaml.org,2002:str";
      if (once(4)) anchors.set(node.value, (node.anchor = `n${anchors.size}`));
      return undefined;
    },
  });
  const options = { indent: pick([2, 3, 4, 8]), indentSeq: once(2), lineWidth: 0 };
  const printed = document.toString(options);
  // The package can't print every comment so that it reads it again, and some it would print in another place.
  const read = parseDocument(printed);
  const asJson = once(10) || read.errors.length > 0 || read.toString(options) !== printed;
  const text = asJson ? `${JSON.stringify(manifest, null, pick([2, 0, 4]))}\n` : printed;
  const parsed = parseDocument(text);
  const spec = parsed.get("spec", true) as YAMLMap<Scalar<string>, { readonly range: readonly [number, number] }>;
  const fields = spec.items.map(({ key, value }): readonly [string, string] => [
    key.value,
    text.slice(key.range?.[0], value?.range[1]).trimEnd(),
  ]);
  return { text, fields: new Map(fields), isBlock: spec.flow !== true && (parsed.contents as YAMLMap).flow !== true };
}

interface Written {
  readonly text: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly isBlock: boolean;
}
