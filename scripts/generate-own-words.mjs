/** Shorter words are shorter than any secret that is masked. */
const shortest = 4;

/** Every name of a member, value of an enum and constant in the schemas: what documents of edgewise say by themselves. */
export function generateOwnWords(schemas) {
  const words = new Set();
  const walk = (node) => {
    if (typeof node !== "object" || node === null) return;
    for (const member of Object.keys(node.properties ?? {})) words.add(member);
    for (const value of [node.const, ...(Array.isArray(node.enum) ? node.enum : [])]) {
      if (typeof value === "string") words.add(value);
    }
    for (const part of Object.values(node)) walk(part);
  };
  for (const schema of schemas.values()) walk(schema);
  const sorted = [...words].filter((word) => word.length >= shortest).toSorted((a, b) => (a < b ? -1 : 1));
  return {
    "schema-words.ts": `/** Names of members, values of enums and constants. */\nexport const schemaWords: readonly string[] = ${JSON.stringify(sorted, null, 2)};\n`,
  };
}
