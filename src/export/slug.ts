const longest = 100;

/**
 * A manifest name made from free text: lower case letters, digits and dashes, cut at 60 characters; null when nothing is left.
 * Accents are dropped rather than replaced (`Café` is `cafe`).
 */
export function slug(text: string): string | null {
  const plain = text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9._]+/gu, "-")
    .slice(0, 60)
    .replaceAll(/^[^a-z0-9]+|[^a-z0-9]+$/gu, "");
  return plain === "" ? null : plain;
}

/** `name` with a suffix, within the longest name that manifests take. */
export function suffixed(name: string, suffix: string): string {
  return `${name.slice(0, longest - suffix.length - 1)}-${suffix}`;
}

/** Whether a name may stand in a manifest (design, "Manifests"). */
export function isName(text: string): boolean {
  return text.length <= longest && /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/u.test(text);
}
