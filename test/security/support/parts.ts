/** The length from which a part of a secret must not appear. */
const length = 8;

/** The encodings that an echoing server may use. */
export const spellings: { readonly [name: string]: (text: string) => string } = {
  plainly: (text) => text,
  "as JSON in JSON": (text) => JSON.stringify({ said: JSON.stringify(text) }),
  "URL-encoded": (text) => [...text].map((letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, "0")}`).join(""),
  "in Base64": (text) => Buffer.from(`x:${text}`, "utf8").toString("base64"),
  "in hexadecimal": (text) => Buffer.from(text, "utf8").toString("hex"),
};

/** The parts of a secret that a server may have kept. */
export const cuts: { readonly [name: string]: (secret: string) => string } = {
  "the whole": (secret) => secret,
  "its beginning": (secret) => secret.slice(0, 13),
  "its end": (secret) => secret.slice(-9),
  "its middle": (secret) => secret.slice(5, 21),
};

/** Every part of every secret that a text contains, in any encoding. It doesn't use the program's code. */
export function partsSeen(text: string, secrets: readonly string[]): readonly string[] {
  const parts = new Set<string>();
  for (const secret of secrets) {
    for (let at = 0; at + length <= secret.length; at += 1) parts.add(secret.slice(at, at + length));
  }
  const seen = new Set<string>();
  for (const reading of readings(text)) {
    for (let at = 0; at + length <= reading.length; at += 1) {
      const part = reading.slice(at, at + length);
      if (parts.has(part)) seen.add(part);
    }
  }
  return [...seen];
}

function* readings(text: string): Generator<string> {
  yield text;
  yield text.replaceAll(/%([0-9a-f]{2})/giu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  yield text.replaceAll("\\", "");
  for (const [run] of text.matchAll(/[A-Za-z0-9+/_-]{11,}/gu)) {
    for (const skipped of [0, 1, 2, 3]) yield Buffer.from(run.slice(skipped), "base64").toString("latin1");
    for (const skipped of [0, 1]) yield Buffer.from(run.slice(skipped), "hex").toString("latin1");
  }
}
