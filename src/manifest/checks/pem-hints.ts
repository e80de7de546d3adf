/** What is wrong with a text that has to be PEM. Quotes nothing of its content: it may be a key. */
export interface PemHint {
  /** In characters (UTF-16) from the start of the text. */
  readonly index: number;
  /** Continues the name of the field: "is empty", "holds a public key". */
  readonly message: string;
  readonly remedy: string;
}

/** What a PEM text has to hold, by the labels of its blocks. */
export interface PemForm {
  readonly label: RegExp;
}

export const certificateForm: PemForm = { label: /^CERTIFICATE$/u };
export const privateKeyForm: PemForm = { label: /PRIVATE KEY$/u };

type Row = readonly [pattern: RegExp, message: string, remedy: string];

/** Of texts without a block of the right label. */
const withoutBlock: readonly Row[] = [
  [/^\s*$/u, "is empty", "Put PEM into it."],
  [/BEGIN [A-Z ]{0,30}PRIVATE KEY-/u, "holds a private key, not a certificate", "Exchange it with a certificate."],
  [/BEGIN [A-Z ]{0,30}PUBLIC KEY-/u, "holds a public key", "Use the other file that was made with it."],
  [/BEGIN [A-Z ]{0,30}REQUEST-/u, "holds a certificate request", "Use the certificate that was made from it."],
  [
    /BEGIN (?:PKCS7|CMS)-/u,
    "holds a PKCS#7 bundle",
    "Convert it with `openssl pkcs7 -print_certs -in FILE -out FILE.pem`.",
  ],
  [/BEGIN CERTIFICATE-/u, "holds a certificate, not a private key", "Name the private key here."],
  [/^\s*[\w./-]{1,200}\.(?:pem|crt|cer|key)\s*$/u, "is the name of a file, not PEM", "Write {file: PATH}."],
  [/^\s*LS0tLS1CRUdJTi/u, "is PEM that is encoded in base64 once more", "Decode it with `base64 -d`."],
  [/^/u, "has no line -----BEGIN …-----", "Put the whole PEM into it, with its first and last line."],
];

/** Of texts with one. */
const inBlock: readonly Row[] = [
  [
    /BEGIN ENCRYPTED PRIVATE KEY|^Proc-Type:.{0,20}ENCRYPTED/mu,
    "holds an encrypted private key, and the service accepts only unencrypted ones",
    "Decrypt it with `openssl pkey -in FILE -out FILE`.",
  ],
  [
    /BEGIN [A-Z ]{1,40}-----\\n/u,
    "has \\n in place of its line breaks",
    "Put it in double quotes, in which \\n is one.",
  ],
  [
    /BEGIN [A-Z ]{1,40}-----[^\S\r\n]{0,9}[^\s-]/u,
    "has all of its lines joined into one",
    "Put a line break after each line of dashes and before it; in YAML, write | and not > before the text.",
  ],
];

/** Why a text does not hold what it has to; null when nothing is found. Takes time in proportion to its length. */
export function pemHint(text: string, form: PemForm): PemHint | null {
  if (!holdsPem(text, form)) return hintIn(text, withoutBlock);
  const found = hintIn(text, inBlock);
  if (found !== null) return found;
  const lines = boundariesIn(text);
  const open = lines.find(({ is, label }, place) => is === "BEGIN" && !isEndOf(label, lines[place + 1]));
  if (open === undefined) return null;
  const message = `has a block without a line -----END ${open.label}----- after it`;
  return { index: open.index, message, remedy: "Copy it again from its source, with all of its lines." };
}

function hintIn(text: string, rows: readonly Row[]): PemHint | null {
  for (const [pattern, message, remedy] of rows) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const start = boundariesIn(text).findLast(({ index }) => index <= found.index)?.index;
    return { index: start ?? Math.max(0, text.search(/\S/u)), message, remedy };
  }
  return null;
}

/** A line that begins or ends something, also one that is damaged. */
interface Boundary {
  readonly is: string;
  readonly label: string;
  readonly index: number;
}

function boundariesIn(text: string): readonly Boundary[] {
  return [...text.matchAll(/-{2,8} ?(BEGIN|END) ([A-Z0-9 ]{1,40}?)-{2,8}/giu)].map(
    ({ 1: is = "", 2: label = "", index }) => ({ is: is.toUpperCase(), label: label.trim().toUpperCase(), index }),
  );
}

function isEndOf(label: string, line: Boundary | undefined): boolean {
  return line?.is === "END" && line.label === label;
}

/** Whether a text holds a block of a form, however it may be damaged. */
export function holdsPem(text: string, form: PemForm): boolean {
  return startOfPem(text, form) !== -1;
}

/** Where a block of a form begins; -1 = nowhere. */
export function startOfPem(text: string, { label }: PemForm, nth = 0): number {
  return boundariesIn(text).filter((line) => line.is === "BEGIN" && label.test(line.label))[nth]?.index ?? -1;
}
