/** What each pattern of the schemas asks for, in words. A pattern alone tells people little. */
const forms: { readonly [pattern: string]: string } = {
  "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$":
    "a name: lower-case letters, digits, '-', '.' and '_', with a letter or digit at both ends",
  "^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$": "an id as the service gives it, such as edgtls_2KJ7mZQvJ1w",
  "^[A-Za-z_][A-Za-z0-9_]*$":
    "the name of an environment variable: letters, digits and '_', not beginning with a digit",
  "^[0-9]+\\.[0-9]+$": 'a TLS version in quotes, such as "1.2"',
  "^spec\\.[^.]+(\\.[^.]+)*$": "the path of a field, beginning with spec., such as spec.description",
  "^(IPRestriction|TLSEdge|ReservedAddress|HTTPResponseBackend|TLSCertificate|HTTPSEdge|HTTPSEdgeRoute)/[^\\s/]+$":
    "an address: a kind, a slash and a name, such as TLSEdge/api",
  "^[0-9]+(\\.[0-9]+)?(ms|s|m|h)$": "a duration such as 500ms, 30s, 5m or 1h",
  "^([0-9]|[1-9][0-9]|100)%$": "a whole number or a percentage from 0% to 100%",
  "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$": "the name of an HTTP header",
  "^[A-Za-z_][A-Za-z0-9_-]*$":
    "the name of a variable: letters, digits, '_' and '-', not beginning with a digit or '-'",
  "^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$":
    "the name of an environment: letters, digits, '-', '.' and '_', with a letter or digit at both ends",
  "^[^\\s\\p{C}](.*[^\\s\\p{C}])?$": "the name of a stack, without blanks at its ends and without control characters",
};

/** The words for a pattern; the pattern itself for one that has none. */
export function formOf(pattern: string): string {
  return forms[pattern] ?? `text that matches ${pattern}`;
}

/** Whether the pattern has words. */
export function hasForm(pattern: string): boolean {
  return Object.hasOwn(forms, pattern);
}
