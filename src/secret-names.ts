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

/** Words that may follow the telling one, as in `private_key_pem`; a number may, too: `password1`. */
const endings = ["value", "text", "hash", "pem", "base64", "json", "plain"] as const;

/** The same as they are compared. */
const compactWords = words.map(compact);

/** What every name of the table has in it, and every text that is secret by its looks (see `looksSecret`). */
const roots = /secret|pass|pwd|credential|token|jwt|psk|key|auth|bearer|basic|cookie|connection|dsn|-----BEGIN/giu;

/** What every name of the table has in it, letters alone. */
const root = /secret|pass|pwd|credential|token|jwt|psk|key|auth|bearer|cookie|connection|dsn/u;

/** Whether what stands under this name is a secret, whatever the case and the separators. */
export function isSecretName(name: string): boolean {
  const plain = compact(name);
  // Most names are ruled out by this.
  if (!root.test(plain)) return false;
  const number = /\d{0,3}$/.exec(plain)?.[0].length ?? 0;
  const ending = endings.find((word) => plain.endsWith(word))?.length ?? 0;
  return [0, number, ending].some((after) => endsTelling(plain.slice(0, plain.length - after)));
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
  return compact(name).endsWith("tokens");
}

/**
 * How often a text has something in it that may be the name of a secret. Zero means that no member of the document in
 * it is one: a cheap first look, linear in the length of the text.
 */
export function countSecretRoots(text: string): number {
  let count = 0;
  roots.lastIndex = 0;
  while (roots.test(text)) count += 1;
  return count;
}

function compact(name: string): string {
  return lettersOf(name.slice(-longest));
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/gu, "");
}
