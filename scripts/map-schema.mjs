const maps = ["properties", "patternProperties", "$defs"];
const lists = ["allOf", "anyOf", "oneOf"];
const singles = [
  "items",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "if",
  "then",
  "else",
  "not",
];

/** The schema with `change` applied to every schema in it, innermost first. Member names are never read as keywords. */
export function mapSchema(schema, change) {
  if (typeof schema !== "object") return schema;
  const next = { ...schema };
  const inner = (part) => mapSchema(part, change);
  for (const key of maps) {
    if (next[key] !== undefined)
      next[key] = Object.fromEntries(Object.entries(next[key]).map(([name, part]) => [name, inner(part)]));
  }
  for (const key of lists) if (next[key] !== undefined) next[key] = next[key].map(inner);
  for (const key of singles) if (next[key] !== undefined) next[key] = inner(next[key]);
  return change(next);
}

/** The schema without some of its keywords, at every level. */
export function without(schema, keywords) {
  return mapSchema(schema, (part) =>
    Object.fromEntries(Object.entries(part).filter(([keyword]) => !keywords.includes(keyword))),
  );
}
