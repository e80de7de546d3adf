/** Secrets that tests search for, and the search. It deliberately doesn't use the program's own list of encodings. */
export interface Canary {
  readonly name: string;
  readonly secret: string;
}

/** Every encoding in which a secret could appear in an output. */
export function spellings(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, "utf8");
  const json = JSON.stringify(secret).slice(1, -1);
  const pieces = secret.includes("\n")
    ? secret.split("\n").filter((line) => line.length >= 20 && !line.startsWith("-----"))
    : [];
  const html = secret
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
  return [
    ...new Set([
      secret,
      json,
      JSON.stringify(json).slice(1, -1),
      json.replaceAll("/", "\\/"),
      encodeURIComponent(secret),
      encodeURIComponent(secret).toLowerCase(),
      encodeURI(secret),
      new URLSearchParams([["", secret]]).toString().slice(1),
      html,
      html.replaceAll("'", "&#39;"),
      bytes.toString("hex"),
      bytes.toString("hex").toUpperCase(),
      ...base64(bytes),
      ...pieces,
    ]),
  ];
}

/** Base64 of the bytes at any offset in a longer text, without the characters that neighbours affect. */
function base64(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset, 65), bytes])
      .toString("base64")
      .replaceAll("=", "");
    const inner = text.slice(offset === 0 ? 0 : offset + 1, -2);
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** The canaries that a text contains, with their encoding; also across line breaks from layout. */
export function seen(text: string, canaries: readonly Canary[]): readonly string[] {
  // eslint-disable-next-line no-control-regex
  const joined = text.replaceAll(/\u001b\[[0-9;]*m|[\s│|>+-]+/gu, "");
  return canaries.flatMap(({ name, secret }) =>
    spellings(secret).flatMap((form) => {
      const flat = form.replaceAll(/[\s│|>+-]+/gu, "");
      return text.includes(form) || (flat.length >= 12 && joined.includes(flat)) ? [`${name}: ${form}`] : [];
    }),
  );
}
