import type { Field } from "../kinds/kind.js";
import type { KindName } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";

/**
 * The facts about a field that its kind declares and its schema doesn't: where its value can come from, and what a change
 * can do to traffic. Empty outside of `spec`.
 * @param path member names, beginning with `spec`
 */
export function kindFacts(
  kind: KindName,
  path: readonly string[],
): readonly (readonly [label: string, text: string])[] {
  const [start, name = "", member = ""] = path;
  const field = start === "spec" ? kinds[kind].fields[name] : undefined;
  if (field === undefined) return [];
  const named = path.length === 2 ? field : path.length === 3 ? field.module?.members[member] : undefined;
  const from = named === undefined ? null : sourcesOf(named);
  // Members are compared and written with their module, whose impact covers them.
  const impact = field.impacts.length === 0 ? "none" : field.impacts.join(", ");
  return [...(from === null ? [] : [["From", from] as const]), ["Impact", impact]];
}

function sourcesOf({ secret, content }: Field): string | null {
  if (secret === true) return "{env: NAME} or {file: path}, not the manifest";
  if (content === "policy") return "the manifest or {file: path}; secrets in it from {env: NAME} or {file: path}";
  return content === "text" ? "the manifest or {file: path}" : null;
}
