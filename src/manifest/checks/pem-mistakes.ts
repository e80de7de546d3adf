/** What is wrong with a text that has to be PEM. Quotes nothing of its content: it may be a key. */
export interface PemMistake {
  /** In characters (UTF-16) from the start of the text. */
  readonly index: number;
  /** Continues the name of the field: "is empty", "holds a public key". */
  readonly message: string;
  readonly remedy: string;
}

/** A line that begins or ends something, well formed or not. */
interface Boundary {
  readonly is: "BEGIN" | "END";
  readonly label: string;
  readonly index: number;
  readonly end: number;
  /** Whether it is exactly `-----BEGIN LABEL-----`. */
  readonly isExact: boolean;
}

/** What a PEM text has to hold, and how messages name it. */
export interface PemForm {
  readonly title: string;
  readonly isLabel: (label: string) => boolean;
  /** The label in remedies. */
  readonly label: string;
}

export const certificateForm: PemForm = {
  title: "a certificate",
  isLabel: (label) => label === "CERTIFICATE",
  label: "CERTIFICATE",
};

export const privateKeyForm: PemForm = {
  title: "a private key",
  isLabel: (label) => label.endsWith("PRIVATE KEY"),
  label: "PRIVATE KEY",
};

/** Other things in PEM that people have at hand, and what to do about them. */
const others: readonly (readonly [label: RegExp, title: string, remedy: string | null])[] = [
  [/PRIVATE KEY$/u, "a private key", "Name the certificate here, and the key in private_key_pem."],
  [/PUBLIC KEY$/u, "a public key", null],
  [/REQUEST$/u, "a certificate request", null],
  [/^(?:PKCS7|CMS)$/u, "a PKCS#7 bundle", "Convert it with `openssl pkcs7 -print_certs -in FILE -out FILE.pem`."],
  [/CERTIFICATE$/u, "a certificate", "Name the private key here, and the certificate in certificate_pem."],
];

/** Why a text does not hold what it has to; null when nothing is found. Takes time in proportion to its length. */
export function findPemMistake(text: string, form: PemForm): PemMistake | null {
  const boundaries = boundariesIn(text);
  const isBlock = boundaries.some(({ is, label }) => is === "BEGIN" && form.isLabel(label));
  if (!isBlock) return withoutBlock(text, boundaries, form);
  const inexact = boundaries.find(({ isExact, label }) => !isExact && form.isLabel(label));
  if (inexact !== undefined) {
    const line = `-----${inexact.is} ${inexact.label}-----`;
    return { index: inexact.index, message: `has a line that is not quite ${line}`, remedy: `Write ${line}.` };
  }
  for (const [place, begin] of boundaries.entries()) {
    if (begin.is !== "BEGIN" || !form.isLabel(begin.label)) continue;
    const mistake = blockMistake(text, begin, boundaries[place + 1], form);
    if (mistake !== null) return mistake;
  }
  return null;
}

/** Labels are shorter. */
const longestLabel = 40;

function boundariesIn(text: string): readonly Boundary[] {
  const found: Boundary[] = [];
  for (const match of text.matchAll(/(?:BEGIN|END) /giu)) {
    const word = match[0].trimEnd().toUpperCase() === "BEGIN" ? "BEGIN" : "END";
    const labelAt = match.index + match[0].length;
    let stop = labelAt;
    while (stop - labelAt < longestLabel && /[A-Z0-9 ]/iu.test(text.charAt(stop))) stop++;
    const label = text.slice(labelAt, stop).trim().toUpperCase();
    const before = text.charAt(match.index - 1) === " " ? match.index - 1 : match.index;
    let [index, end] = [before, stop];
    while (before - index < 8 && text.charAt(index - 1) === "-") index--;
    while (end - stop < 8 && text.charAt(end) === "-") end++;
    if (before - index < 2 || end - stop < 2 || label === "") continue;
    found.push({ is: word, label, index, end, isExact: text.slice(index, end) === `-----${word} ${label}-----` });
  }
  return found;
}

function withoutBlock(text: string, boundaries: readonly Boundary[], form: PemForm): PemMistake {
  const lines = `-----BEGIN ${form.label}----- and -----END ${form.label}-----`;
  const found = boundaries.find(({ is }) => is === "BEGIN");
  const other = found === undefined ? undefined : others.find(([label]) => label.test(found.label));
  if (found !== undefined && other !== undefined)
    return {
      index: found.index,
      message: `holds ${other[1]}, not ${form.title}`,
      remedy: other[2] ?? `Use ${form.title} instead.`,
    };
  const index = Math.max(0, text.search(/\S/u));
  const bare = text.trim();
  if (bare === "") return { index: 0, message: "is empty", remedy: `Put ${form.title} into it, in PEM.` };
  if (/^[\w./-]+\.(?:pem|crt|cer|key)$/u.test(bare))
    return { index, message: "is the name of a file, not PEM", remedy: `Write {file: ${bare}}.` };
  if (isEncodedPem(bare))
    return {
      index,
      message: "is PEM that is encoded in base64 once more, as in a Secret of Kubernetes",
      remedy: "Decode it with `base64 -d`.",
    };
  if (/^[A-Za-z0-9+/=\s]{40,}$/u.test(bare))
    return { index, message: "is base64 without its first and last line", remedy: `Put the lines ${lines} around it.` };
  const end = boundaries.find(({ is, label }) => is === "END" && form.isLabel(label));
  if (end !== undefined) {
    const message = `has an end, but no line -----BEGIN ${end.label}-----`;
    return { index, message, remedy: `Put the line -----BEGIN ${end.label}----- before it.` };
  }
  return { index, message: `has no line -----BEGIN ${form.label}-----`, remedy: `Put ${form.title} into it, in PEM.` };
}

/** Only the beginning is decoded: it shows what the rest is. */
function isEncodedPem(bare: string): boolean {
  return Buffer.from(bare.slice(0, 40), "base64").toString("latin1").startsWith("-----BEGIN ");
}

const encrypted = {
  message: "holds an encrypted private key, and the service accepts only unencrypted ones",
  remedy: "Decrypt it with `openssl pkey -in FILE -out FILE`.",
};

function blockMistake(text: string, begin: Boundary, next: Boundary | undefined, form: PemForm): PemMistake | null {
  const { index, label } = begin;
  if (label === "ENCRYPTED PRIVATE KEY") return { index, ...encrypted };
  if (next?.is !== "END") {
    const message = `holds ${form.title} without a line -----END ${label}-----`;
    return { index, message, remedy: "Put that line at its end." };
  }
  if (next.label !== label) {
    const message = `has the end of another thing here: what it ends is a ${label}`;
    return { index: next.index, message, remedy: `Write -----END ${label}-----.` };
  }
  const body = text.slice(begin.end, next.index);
  if (body.startsWith("\\n"))
    return { index, message: "has \\n in place of its line breaks", remedy: "Replace each \\n by a line break." };
  if (!/^[ \t]*\r?\n/u.test(body))
    return {
      index,
      message: "has all of its lines joined into one",
      remedy: `Put line breaks after the line -----BEGIN ${label}----- and before the line -----END ${label}-----.`,
    };
  // Old keys have headers before an empty line.
  const headers = /^\s*(?:[\w-]+: .*\r?\n(?:[ \t].*\r?\n)*)+\s*\n/u.exec(body)?.[0] ?? "";
  if (/ENCRYPTED/u.test(headers)) return { index, ...encrypted };
  const odd = /[^A-Za-z0-9+/=\s]/u.exec(body.slice(headers.length));
  if (odd !== null)
    return {
      index: begin.end + headers.length + odd.index,
      message: "has a character here that is not base64",
      remedy: "Copy it again from its source.",
    };
  return lengthMistake(body.slice(headers.length), begin, form);
}

/** DER begins with its own length. */
function lengthMistake(body: string, { index }: Boundary, form: PemForm): PemMistake | null {
  const bytes = Buffer.from(body.replaceAll(/\s/gu, ""), "base64");
  const [tag, first = 0] = bytes;
  if (tag !== 0x30)
    return {
      index,
      message: `holds something here that is not ${form.title}`,
      remedy: "Copy it again from its source.",
    };
  const more = first < 0x80 ? 0 : first - 0x80;
  if (more > 4) return null;
  let length = more === 0 ? first : 0;
  for (const byte of bytes.subarray(2, 2 + more)) length = length * 256 + byte;
  const wanted = 2 + more + length;
  if (bytes.length === wanted) return null;
  const what = bytes.length < wanted ? "is cut short" : "has more than belongs to it";
  const message = `holds ${form.title} that ${what}: ${bytes.length} bytes instead of ${wanted}`;
  return { index, message, remedy: "Copy it again from its source, with all of its lines." };
}

/** Whether a text holds a block of a form, however it may be damaged. */
export function holdsPem(text: string, form: PemForm): boolean {
  return boundariesIn(text).some(({ is, label }) => is === "BEGIN" && form.isLabel(label));
}

/** Where a block of a form begins; -1 = nowhere. */
export function startOfPem(text: string, form: PemForm, nth = 0): number {
  return boundariesIn(text).filter(({ is, label }) => is === "BEGIN" && form.isLabel(label))[nth]?.index ?? -1;
}
