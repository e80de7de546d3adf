/**
 * Checks that a text is well-formed XML of the plain sort that reports use (no CDATA, comments or own entities) and
 * counts its elements by name. Throws where it is not.
 */
export function checkXml(xml: string): ReadonlyMap<string, number> {
  const illegal = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.exec(xml);
  if (illegal !== null) throw new Error(`illegal character at ${illegal.index}`);
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!xml.startsWith(declaration)) throw new Error("no declaration");
  const counts = new Map<string, number>();
  const open: string[] = [];
  const token =
    /<(\/?)([a-z-]+)((?: [a-z]+="(?:[^<>"&]|&(?:amp|lt|gt|quot|apos|#\d+);)*")*)(\/?)>|((?:[^<>&]|&(?:amp|lt|gt);)+)/gy;
  token.lastIndex = declaration.length;
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex;
    const match = token.exec(xml);
    if (match === null) throw new Error(`not well-formed at ${at}: ${xml.slice(at, at + 40)}`);
    const [, closing, name, , empty, text] = match;
    if (text !== undefined || name === undefined) continue;
    if (closing === "/") {
      if (open.pop() !== name) throw new Error(`</${name}> closes something else`);
      continue;
    }
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (empty !== "/") open.push(name);
  }
  if (open.length > 0) throw new Error(`<${open.join("><")}> left open`);
  return counts;
}
