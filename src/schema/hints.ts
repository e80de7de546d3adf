import type { DocumentPath } from "../core/document-path.js";
import { addressExample, kindNames } from "../kinds/names.js";

const readOnly = new Set(
  (
    "id uri created_at addr policy subject_common_name subject_alternative_names issued_at not_before not_after " +
    "key_usages extended_key_usages private_key_type issuer_common_name serial_number subject_organization " +
    "subject_organizational_unit subject_locality subject_province subject_country"
  ).split(" "),
);

export function isReadOnly(path: DocumentPath): boolean {
  const name = path.at(-1);
  if (path[0] !== "spec" || typeof name !== "string") return false;
  // Only the schema of an HTTPS edge lacks it.
  const isTermination = name === "terminate_at" && path.at(-2) === "tls_termination";
  return name === "uri" || isTermination || (path.length === 2 && readOnly.has(name));
}

const memberHints: readonly (readonly [path: RegExp, remedy: string])[] = [
  [/\.tls_termination\.terminate_at$/u, "Remove it: where TLS ends is not a choice for HTTPS edges."],
  [/^spec\.id$/u, "Remove it; to adopt an existing resource write metadata.id."],
  [/^spec\.\w+\.value\.\w+$/u, "A map that names a file has nothing else; a policy has members like on_tcp_connect."],
  [/^spec\..*\.env$/u, "Only secrets take {env: NAME}. Write {file: …}, or a text with ${{ env.NAME }} in it."],
  [/^spec\..*_ids?$/u, "Write it as GET returns it, as in backend: {id: …} or ip_policies: [{id: …}]."],
  [
    /^(?:lifecycle|metadata\.previousNames)$/u,
    "Remove it: modules of an existing edge have no owner and are never deleted.",
  ],
  [
    /(?:api[-_]?key|token|api\.key)$/iu,
    "Remove it: the API key comes from EDGEWISE_API_KEY or --api-key-file, never from a file in Git.",
  ],
];

export function memberHint(path: DocumentPath): string | undefined {
  return memberHints.find(([pattern]) => pattern.test(path.join(".")))?.[1];
}

const forms: { readonly [pattern: string]: string } = {
  "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$": "a name: lower-case letters, digits and '-', with a letter or digit at both ends",
  "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$":
    "a name: lower-case letters, digits, '-', '.' and '_', with a letter or digit at both ends",
  "^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$": "an id as the service gives it, such as edgtls_2KJ7mZQvJ1w",
  "^[A-Za-z_][A-Za-z0-9_]*$":
    "the name of an environment variable: letters, digits and '_', not beginning with a digit",
  "^(?!EDGEWISE_)[A-Za-z_][A-Za-z0-9_]*$":
    "the name of an environment variable that doesn't begin with EDGEWISE_: letters, digits and '_'",
  "^[0-9]+\\.[0-9]+$": 'a TLS version in quotes, such as "1.2"',
  "^spec\\.[^.]+(\\.[^.]+)*$": "the path of a field, beginning with spec., such as spec.description",
  "^(spec|metadata)(\\.|$)": "the path of a field, such as spec.description",
  "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$": 'a day in quotes, such as "2027-03-31"',
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

export function formOf(pattern: string): string {
  return forms[pattern] ?? `text that matches ${pattern}`;
}

export function textOf(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
