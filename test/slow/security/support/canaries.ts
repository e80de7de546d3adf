/** Secrets that tests search for, and the search. It deliberately doesn't use the program's own list of encodings. */
export interface Canary {
  readonly name: string;
  readonly secret: string;
}

export function spellings(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, "utf8");
  const lines = secret.split("\n").filter((line) => line.length >= 16 && !line.startsWith("-----"));
  return [
    ...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), ...base64(bytes), ...lines]),
  ];
}

/** Base64 of the bytes at any offset in a longer text, without the characters that neighbours affect. */
function base64(bytes: Buffer): readonly string[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset, 65), bytes])
      .toString("base64")
      .replaceAll("=", "");
    return text.slice(offset === 0 ? 0 : offset + 1, -2);
  });
}

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
