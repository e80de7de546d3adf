const longestName = 100;

/**
 * A manifest name made from free text: lower case letters, digits and dashes, at most 60 characters; null when nothing is
 * left. Accents are dropped rather than replaced (`Café` becomes `cafe`).
 */
export function slug(text: string): string | null {
  const plain = text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9._]+/gu, "-")
    .slice(0, 60)
    .replace(/^[^a-z0-9]+/u, "");
  let end = plain.length;
  while (end > 0 && /[^a-z0-9]/u.test(plain.charAt(end - 1))) end -= 1;
  return end === 0 ? null : plain.slice(0, end);
}

/** `name` with a suffix, within the longest name that manifests may have. */
export function withSuffix(name: string, suffix: string): string {
  return `${name.slice(0, longestName - suffix.length - 1)}-${suffix}`;
}

/** Whether a text is a valid manifest name. */
export function isName(text: string): boolean {
  return text.length <= longestName && /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/u.test(text);
}
