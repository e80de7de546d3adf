/** Shorter words are shorter than any secret that is masked. */
const shortest = 4;

/** A kind's words count when they are several words joined: a single one may as well be somebody's secret. */
const joined = /[a-z\d][-_/][a-z\d]/i;

/**
 * Every name of a member, value of an enum and constant in the schemas, and what the registry calls its kinds: the
 * words that documents of edgewise contain by themselves.
 */
export function generateOwnWords(schemas, kinds) {
  const words = new Set();
  for (const { slug, collection } of kinds) {
    for (const word of [slug, collection?.path, collection?.member]) if (joined.test(word ?? "")) words.add(word);
  }
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
    "schema-words.ts": `/** Names of members, values of enums, constants, and words for kinds. */\nexport const schemaWords: readonly string[] = ${JSON.stringify(sorted, null, 2)};\n`,
  };
}
