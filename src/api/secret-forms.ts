/** Shorter texts are not masked: they would be found in everything. */
export const shortestSecret = 4;

/** What every JSON document may hold outside of texts: masked there, it would be JSON no more, and it gives nothing away. */
const jsonWords: ReadonlySet<string> = new Set(["null", "true", "false"]);

/** Below this a line of a longer secret gives nothing away. */
const shortestLine = 16;

/**
 * The spellings in which a secret may come back: raw, in JSON, URL-encoded, in HTML, hexadecimal, Base64 (alone or as
 * a part of something longer), and the lines of a secret that has several.
 */
export function secretForms(secret: string): readonly string[] {
  const forms = new Set<string>();
  for (const text of new Set([secret, secret.trim()])) {
    forms.add(text);
    for (const form of jsonForms(text)) forms.add(form);
    for (const form of urlForms(text)) forms.add(form);
    forms.add(html(text));
    const bytes = Buffer.from(text, "utf8");
    forms.add(bytes.toString("hex"));
    forms.add(bytes.toString("hex").toUpperCase());
    for (const form of base64Forms(bytes)) forms.add(form);
  }
  for (const form of lines(secret)) forms.add(form);
  return [...forms].filter((form) => form.length >= shortestSecret && !jsonWords.has(form));
}

/** Some writers of JSON escape slashes too, some what means something in HTML. */
function jsonForms(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const html = json.replaceAll(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
  return [json, json.replaceAll("/", "\\/"), html];
}

function urlForms(text: string): readonly string[] {
  let encoded: string;
  try {
    encoded = encodeURIComponent(text);
  } catch {
    return []; // A lone surrogate can't be encoded, nor sent.
  }
  const lower = encoded.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
  const form = new URLSearchParams({ k: text }).toString().slice(2);
  return [encoded, lower, form, encodeURI(text)];
}

function html(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** The whole in Base64, and the characters that only it decides when it stands at any place of something longer. */
function base64Forms(bytes: Buffer): readonly string[] {
  const forms = [bytes.toString("base64").replaceAll("=", "")];
  for (const offset of [0, 1, 2]) {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const from = Math.ceil((offset * 8) / 6);
    const to = Math.floor((padded.length * 8) / 6);
    forms.push(padded.toString("base64").slice(from, to));
  }
  return forms
    .filter((form) => form.length >= 8)
    .flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}

function lines(secret: string): readonly string[] {
  const all = secret.split(/\r?\n/).map((line) => line.trim());
  if (all.length === 1) return [];
  return all
    .filter((line) => line.length >= shortestLine && !line.startsWith("-----"))
    .flatMap((line) => [line, ...jsonForms(line), ...urlForms(line)]);
}
