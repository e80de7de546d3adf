/**
 * The names of members that hold a secret. Case and separators are ignored. A name counts when it ends with one of
 * these (`client_secret`, `X-Api-Key`, `dbPassword`), so that `token_url` and `secret_name` stay readable.
 */
const words: readonly string[] = [
  // Names of secrets in general
  "secret",
  "password",
  "passwd",
  "pwd",
  "passphrase",
  "passcode",
  "user_pass",
  "db_pass",
  "credential",
  "token",
  "jwt",
  "psk",
  "htpasswd",
  // Keys that are not public
  "api_key",
  "access_key",
  "secret_key",
  "private_key",
  "signing_key",
  "encryption_key",
  "shared_key",
  "hmac_key",
  "client_key",
  "master_key",
  "session_key",
  "auth_key",
  "account_key",
  "function_key",
  "functions_key",
  "ssh_key",
  "tls_key",
  "ssl_key",
  "license_key",
  "deploy_key",
  "webhook_key",
  "subscription_key",
  "key_pem",
  // Headers
  "authorization",
  "bearer",
  "basic_auth",
  "cookie",
  // Addresses that contain a password
  "connection_string",
  "dsn",
];

/** Of longer names only the end is compared. */
const longest = 64;

/** Words that may follow one of these words, as in `private_key_pem`; a number or a version may, too: `password1`, `_v2`. */
const endings: readonly string[] = [
  "value",
  "text",
  "hash",
  "pem",
  "base64",
  "b64",
  "hex",
  "json",
  "plain",
  "string",
  "data",
  "base",
  "encoded",
  "old",
  "new",
  "current",
  "previous",
  "prev",
  "next",
  "primary",
  "secondary",
];

/** Names of secrets only as a separate word (`smtp_pass`, not `bypass`), and only when the value is a text or a number. */
const shortNames: ReadonlySet<string> = new Set(["pass", "auth", "otp", "totp", "salt", "signature", "sig"]);

/** The words in the form in which they are compared. */
const compactWords = words.map(lettersOf);

/** Matches in every name of the table, as a policy may write it. */
const rootsInText =
  /secret|pass|pwd|credential|token|jwt|psk|key|auth|bearer|basic|cookie|connection|dsn|otp|salt|sig/giu;

/** Matches in every name of the table, in its compact form. */
const rootInName = /secret|pass|pwd|credential|token|jwt|psk|key|auth|bearer|cookie|connection|dsn/u;

/** What is known about a name. Thousands of policies name the same few members. */
interface JudgedName {
  readonly plain: string;
  readonly isSecret: boolean;
  readonly isShort: boolean;
}

const judgedNames = new Map<string, JudgedName>();

/** Beyond these many names, or this many characters in one, they are somebody's data. */
const mostJudged = 1000;

function judge(name: string): JudgedName {
  const known = judgedNames.get(name);
  if (known !== undefined) return known;
  const plain = lettersOf(name.slice(-longest));
  const judged = { plain, isSecret: endsInSecretName(plain), isShort: endsInShortName(name.slice(-longest)) };
  if (name.length > longest) return judged;
  if (judgedNames.size >= mostJudged) judgedNames.clear();
  judgedNames.set(name, judged);
  return judged;
}

/** Whether a member with this name holds a secret, in any case and with any separators. */
export function isSecretName(name: string): boolean {
  return judge(name).isSecret;
}

function endsInSecretName(plain: string): boolean {
  // Rules out most names quickly.
  if (!rootInName.test(plain)) return false;
  // A count: `max_tokens`.
  if (/^(?:max|min)[a-z]*tokens$/u.test(plain)) return false;
  let rest = plain;
  for (let stripped = 0; stripped < 4; stripped++) {
    if (endsWithSecretWord(rest)) return true;
    const ending = endings.find((word) => rest.endsWith(word))?.length ?? /v?\d{1,3}$/u.exec(rest)?.[0].length ?? 0;
    if (ending === 0) return false;
    rest = rest.slice(0, -ending);
  }
  return false;
}

/** Whether a member with this name holds a secret when its value is a text: `auth`, `smtpPass`, `X-Signature`. */
export function isShortName(name: string): boolean {
  return judge(name).isShort;
}

function endsInShortName(end: string): boolean {
  const words = end
    .replaceAll(/([a-z\d])([A-Z])/gu, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/u);
  return shortNames.has(words.findLast((word) => word !== "") ?? "");
}

/** Whether a text may be or contain a secret: a cheap first test, linear in its length. */
export function mayBeSecret(text: string): boolean {
  return countSecretRoots(text) > 0;
}

function endsWithSecretWord(plain: string): boolean {
  return compactWords.some((word) => plain.endsWith(word) || plain.endsWith(`${word}s`));
}

/** Whether a name contains one of the table: enough for not quoting a value in a message. */
export function holdsSecretName(name: string): boolean {
  const plain = lettersOf(name);
  return compactWords.some((word) => plain.includes(word));
}

/**
 * Whether a name is a plural of token. Its value is a list of secrets, or a list of objects that describe where tokens
 * are found (`jwt-validation`).
 */
export function isTokenList(name: string): boolean {
  return compact(name).endsWith("tokens") && isSecretName(name);
}

/**
 * How often a text contains something that may be the name of a secret, with escapes of JSON and YAML undone. Zero
 * means that the document has no such member: a cheap first test, linear in the length of the text.
 */
export function countSecretRoots(text: string): number {
  const plain = text.includes("\\") ? withoutEscapes(text) : text;
  return plain.match(rootsInText)?.length ?? 0;
}

/** A text with `\\u0074` and `\\x74` undone, however often the backslash itself is escaped. */
function withoutEscapes(text: string): string {
  return text.replaceAll(/\\(?:u[\da-f]{4}|x[\da-f]{2}|\/)/giu, (escape) => {
    return escape.length === 2 ? "/" : String.fromCharCode(Number.parseInt(escape.slice(2), 16));
  });
}

/** A name without its case and separators. */
export function compact(name: string): string {
  return judge(name).plain;
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/gu, "");
}
