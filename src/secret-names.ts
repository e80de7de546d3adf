/**
 * What members that hold a secret are called. Case and separators mean nothing. A name counts when it ends in one of
 * these (`client_secret`, `X-Api-Key`, `dbPassword`), so that `token_url` and `secret_name` stay readable.
 */
const words: readonly string[] = [
  // Whatever the name says outright
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
  // Addresses with a password in them
  "connection_string",
  "dsn",
];

/** Longer names are judged by their end. */
const longest = 64;

/** Words that may follow the telling one, as in `private_key_pem`; a number or a version may, too: `password1`, `_v2`. */
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

/** Names of secrets only as a word of their own (`smtp_pass`, not `bypass`), and only when a text or a number is there. */
const shortNames: ReadonlySet<string> = new Set(["pass", "auth", "otp", "totp", "salt", "signature", "sig"]);

/** The same as they are compared. */
const compactWords = words.map(compact);

/** What every name of the table has in it, and every text that is secret by its looks (see `looksSecret`). */
const rootsInText =
  /secret|pass|pwd|credential|token|jwt|psk|key|auth|bearer|basic|cookie|connection|dsn|otp|salt|sig|:\/\/[^\s/]{1,400}@|-----BEGIN/giu;

/** What every name of the table has in it, letters alone. */
const rootInName = /secret|pass|pwd|credential|token|jwt|psk|key|auth|bearer|cookie|connection|dsn/u;

/** Whether what stands under this name is a secret, whatever the case and the separators. */
export function isSecretName(name: string): boolean {
  const plain = compact(name);
  // Most names are ruled out by this.
  if (!rootInName.test(plain)) return false;
  // A count: `max_tokens`.
  if (/^(?:max|min)[a-z]*tokens$/u.test(plain)) return false;
  let rest = plain;
  for (let stripped = 0; stripped < 4; stripped++) {
    if (endsTelling(rest)) return true;
    const ending = endings.find((word) => rest.endsWith(word))?.length ?? /v?\d{1,3}$/u.exec(rest)?.[0].length ?? 0;
    if (ending === 0) return false;
    rest = rest.slice(0, -ending);
  }
  return false;
}

/** Whether a name tells of a secret when a text stands under it: `auth`, `smtpPass`, `X-Signature`. */
export function isShortName(name: string): boolean {
  const end = name.slice(-longest);
  const words = end
    .replaceAll(/([a-z\d])([A-Z])/gu, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/u);
  return shortNames.has(words.findLast((word) => word !== "") ?? "");
}

/** Whether a text may be a secret by its looks, or hold one: a cheap first look, linear in its length. */
export function mayBeSecret(text: string): boolean {
  return countSecretRoots(text) > 0;
}

function endsTelling(plain: string): boolean {
  return compactWords.some((word) => plain.endsWith(word) || plain.endsWith(`${word}s`));
}

/**
 * Whether a name of the table stands anywhere in a word, for texts that can't be parsed. Prefers a harmless word to
 * missing one.
 */
export function holdsSecretName(word: string): boolean {
  // The letter is a long s: patterns that ignore case take it for one.
  const plain = lettersOf(word.replaceAll("\u017f", "s"));
  return compactWords.some((name) => plain.includes(name));
}

/**
 * Whether a name stands for several tokens. That is a list of secrets, or of descriptions where tokens are found
 * (`jwt-validation`), which are objects.
 */
export function isTokenList(name: string): boolean {
  return compact(name).endsWith("tokens") && isSecretName(name);
}

/**
 * How often a text has something in it that may be the name of a secret, with escapes of JSON and YAML undone. Zero
 * means that no member of the document in it is one: a cheap first look, linear in the length of the text.
 */
export function countSecretRoots(text: string): number {
  let count = 0;
  const plain = text.includes("\\") ? withoutEscapes(text) : text;
  rootsInText.lastIndex = 0;
  while (rootsInText.test(plain)) count += 1;
  return count;
}

/** A text with `\\u0074` and `\\x74` undone, however often the backslash is escaped itself. */
function withoutEscapes(text: string): string {
  return text.replaceAll(/\\(?:u[\da-f]{4}|x[\da-f]{2}|\/)/giu, (escape) => {
    return escape.length === 2 ? "/" : String.fromCharCode(Number.parseInt(escape.slice(2), 16));
  });
}

/** A name without its case and separators. */
export function compact(name: string): string {
  return lettersOf(name.slice(-longest));
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/gu, "");
}
