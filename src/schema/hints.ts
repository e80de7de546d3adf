import { type DocumentPath, isSensitive } from "../core/document-path.js";
import { addressExample, kindNames } from "../kinds/names.js";
import { plural } from "../text/layout.js";

/** Members of responses that no request takes. */
const readOnly = new Set([
  "id",
  "uri",
  "created_at",
  "addr",
  "policy",
  "subject_common_name",
  "subject_alternative_names",
  "issued_at",
  "not_before",
  "not_after",
  "key_usages",
  "extended_key_usages",
  "private_key_type",
  "issuer_common_name",
  "serial_number",
  "subject_organization",
  "subject_organizational_unit",
  "subject_locality",
  "subject_province",
  "subject_country",
]);

/** Whether an unknown member is one that responses have and requests don't. */
export function isReadOnly(path: DocumentPath): boolean {
  const name = path.at(-1);
  if (path[0] !== "spec" || typeof name !== "string") return false;
  return name === "uri" || isOfHttpsEdge(path) || (path.length === 2 && readOnly.has(name));
}

/** `terminate_at` of an HTTPS edge: elsewhere the schema has it, so that it is only in the wrong place. */
function isOfHttpsEdge(path: DocumentPath): boolean {
  return path.at(-1) === "terminate_at" && path.at(-2) === "tls_termination";
}

/** Advice about an unknown member. */
export interface MemberHint {
  readonly remedy: string;
  /** The member beside it that was meant. */
  readonly instead?: string;
}

/**
 * Better advice than a spelling suggestion for members that people are known to try, by name.
 * @param known the members beside it
 */
export function hintFor(path: DocumentPath, value: unknown, known: readonly string[]): MemberHint | null {
  const name = path.at(-1);
  const parent = path.at(-2);
  if (typeof name !== "string") return null;
  if (isOfHttpsEdge(path)) return { remedy: "Remove it: where TLS ends is not a choice for HTTPS edges." };
  if (name === "id" && path.length === 2)
    return { remedy: "Remove it; to adopt an existing resource write metadata.id." };
  if (path[0] === "spec" && parent === "value" && path.length === 4)
    return {
      remedy: "A map with the member file names a file and nothing else; a policy has members like on_tcp_connect.",
    };
  if (/^on_\w+$/u.test(name) && known.includes("value"))
    return { remedy: `Put it below a line \`value:\`, and indent it by two more spaces.`, instead: "value" };
  if (known.length === 1 && known[0] === "file") return sourceHint(name);
  if (name === "name" && typeof parent === "number")
    return { remedy: "Give {id: …}: no manifest describes these, so they have no names here.", instead: "id" };
  if (name === "prevent_destroy" && value === true && known.includes("deletion"))
    return { remedy: "Write deletion: protect.", instead: "deletion" };
  if ((path[0] === "lifecycle" && path.length === 1) || (path[0] === "metadata" && name === "previousNames"))
    return {
      remedy:
        "Remove it: modules of an edge that exists elsewhere have no owner and are never deleted with the manifest.",
    };
  if (parent !== undefined && typeof parent === "number" && path[1] === "hostports" && typeof value === "number")
    return { remedy: `Write ${JSON.stringify(`${name}:${value}`)}.`, instead: "address" };
  if (/^api[-_]?key$|token$/i.test(name) || (name === "key" && parent === "api"))
    return {
      remedy:
        "Remove it: the API key comes from the environment variable EDGEWISE_API_KEY or from --api-key-file, never from a file that Git holds.",
    };
  return requestForm(name, value, known);
}

/** In the place of content that only a file can hold. */
function sourceHint(name: string): MemberHint | null {
  if (name === "env")
    return {
      remedy: "Write {file: …}, or the text itself with ${{ env.NAME }} in it: only secrets take {env: NAME}.",
      instead: "file",
    };
  return name === "path" ? { remedy: "Rename it to file.", instead: "file" } : null;
}

/** Requests have `backend_id` and `ip_policy_ids` where responses and manifests have objects. */
function requestForm(name: string, value: unknown, known: readonly string[]): MemberHint | null {
  const [, stem, many] = /^([a-z_]+)_id(s?)$/u.exec(name) ?? [];
  if (stem === undefined || isSensitive([name])) return null;
  const instead = many === "" ? stem : plural(stem);
  if (!known.includes(instead)) return null;
  const ids = (Array.isArray(value) ? value : [value]).map(
    (id) => `{id: ${typeof id === "string" && /^\w{1,80}$/u.test(id) ? id : "…"}}`,
  );
  return { remedy: `Write ${instead}: ${many === "" ? ids[0] : `[${ids.join(", ")}]`}.`, instead };
}

/** What each pattern of the schemas asks for, in words. A pattern alone tells people little. */
const forms: { readonly [pattern: string]: string } = {
  "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$": "a name: lower-case letters, digits and '-', with a letter or digit at both ends",
  "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$":
    "a name: lower-case letters, digits, '-', '.' and '_', with a letter or digit at both ends",
  "^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$": "an id as the service gives it, such as edgtls_2KJ7mZQvJ1w",
  "^[A-Za-z_][A-Za-z0-9_]*$":
    "the name of an environment variable: letters, digits and '_', not beginning with a digit",
  "^[0-9]+\\.[0-9]+$": 'a TLS version in quotes, such as "1.2"',
  "^spec\\.[^.]+(\\.[^.]+)*$": "the path of a field, beginning with spec., such as spec.description",
  [`^(${kindNames.join("|")})/[^\\s/]+$`]: `an address: a kind, a slash and a name, such as ${addressExample}`,
  "^[0-9]+(\\.[0-9]+)?(ms|s|m|h)$": "a duration such as 500ms, 30s, 5m or 1h",
  "^([0-9]|[1-9][0-9]|100)%$": "a whole number or a percentage from 0% to 100%",
  "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$": "the name of an HTTP header",
  "^[A-Za-z_][A-Za-z0-9_-]*$":
    "the name of a variable: letters, digits, '_' and '-', not beginning with a digit or '-'",
  "^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$":
    "the name of an environment: letters, digits, '-', '.' and '_', with a letter or digit at both ends",
  "^[^\\s\\p{C}~^:?*\\[\\]\\\\/]+$":
    "a name that can be part of a Git ref: without blanks, /, ~, ^, :, ?, *, brackets and backslashes",
  "^[^\\s\\p{C}~^:?*\\[\\\\]+$": "the name of a branch or tag",
  "^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)$": "a duration such as 30s, 10m, 1h or 90d",
  "^([0-9a-f]{40}|[0-9a-f]{64})$": "the full id of a commit: 40 or 64 hexadecimal digits",
  "^(\\[[0-9A-Fa-f:.]+\\]|[0-9A-Za-z.-]+):[0-9]{1,5}$": "a host and a port, such as 127.0.0.1:7070 or [::1]:7070",
  "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:[0-9]{2})$":
    "a time such as 2026-12-01T00:00:00Z",
  "^[^\\s\\p{C}](.*[^\\s\\p{C}])?$": "the name of a stack, without blanks at its ends and without control characters",
};

/** The words for a pattern; the pattern itself for one that has none. */
export function formOf(pattern: string): string {
  return forms[pattern] ?? `text that matches ${pattern}`;
}

/** A value that a schema or a violation holds, as text; "" for what is not there. */
export function textOf(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
