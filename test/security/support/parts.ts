/** How long a part of a secret is that must not be seen. */
const length = 8;

/** How a server that echoes may spell what it got hold of. */
export const spellings: { readonly [name: string]: (text: string) => string } = {
  plainly: (text) => text,
  "as JSON in JSON": (text) => JSON.stringify({ said: JSON.stringify(text) }),
  "URL-encoded": (text) => [...text].map((letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, "0")}`).join(""),
  "in Base64": (text) => Buffer.from(`x:${text}`, "utf8").toString("base64"),
  "in hexadecimal": (text) => Buffer.from(text, "utf8").toString("hex"),
};

/** What a server may have kept of a secret. */
export const cuts: { readonly [name: string]: (secret: string) => string } = {
  "the whole": (secret) => secret,
  "its beginning": (secret) => secret.slice(0, 13),
  "its end": (secret) => secret.slice(-9),
  "its middle": (secret) => secret.slice(5, 21),
};

/** Every part of every secret that can be seen in a text, whichever way it is spelt. Made without the program's code. */
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
