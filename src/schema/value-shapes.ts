/**
 * What a text that lacks the required form was most likely meant to be: a name in lower case, a version without its
 * letters, a field with its `spec.`. The caller checks them against the form.
 * @param isName whether it has to be a name, which may be made of almost anything
 */
export function wellFormed(value: string, isName: boolean): readonly string[] {
  const bare = value.trim().replaceAll(/["'“”‘’„`]/gu, "");
  if (bare === "") return [];
  const afterSlash = bare.slice(bare.lastIndexOf("/") + 1);
  const candidates = isName
    ? [nameFrom(afterSlash)]
    : [
        bare,
        ...(/^\d/u.test(bare) ? [bare.replaceAll(/\s/gu, ""), `${bare}s`] : []),
        bare.replace(/^(?:tls|ssl)\s*v?/iu, ""),
        `spec.${bare}`,
      ];
  return candidates.filter((candidate) => candidate !== value && candidate !== "");
}

function nameFrom(text: string): string {
  const plain = text.toLowerCase().replaceAll(/[^a-z0-9._]+/gu, "-");
  const name = plain.replace(/^[^a-z0-9]+/u, "");
  let end = name.length;
  while (end > 0 && /[^a-z0-9]/u.test(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}
