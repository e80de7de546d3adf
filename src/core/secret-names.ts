/** At the end of a name: `client_secret`, not `token_url`. */
const secretWords = [
  "secret password passwd pwd passphrase passcode userpass dbpass credential token jwt psk htpasswd",
  "apikey accesskey secretkey privatekey signingkey encryptionkey sharedkey hmackey clientkey masterkey sessionkey",
  "authkey accountkey functionkey functionskey sshkey tlskey sslkey licensekey deploykey webhookkey subscriptionkey",
  "keypem",
  "authorization bearer basicauth cookie",
  "connectionstring dsn",
].flatMap((line) => line.split(" "));

/** May follow one of these, as in `private_key_pem`; so may a number or a version: `password1`, `_v2`. */
const endings =
  "value text hash pem base64 b64 hex json plain string data base encoded old new current previous prev next primary secondary".split(
    " ",
  );

/** Also in the plural, with up to three endings behind it. */
function endsInSecret(plain: string, behind = 0): boolean {
  const singular = plain.endsWith("s") ? plain.slice(0, -1) : plain;
  if (secretWords.some((word) => plain.endsWith(word) || singular.endsWith(word))) return true;
  if (behind === 3) return false;
  const number = /v?\d{1,3}$/u.exec(plain)?.[0];
  const found = [...endings.filter((ending) => plain.endsWith(ending)), ...(number === undefined ? [] : [number])];
  return found.some((ending) => endsInSecret(plain.slice(0, -ending.length), behind + 1));
}

const tokenCount = /^(?:max|min)[a-z]*tokens$/u;

/** Only as a separate word (`smtp_pass`, not `bypass`), of a text or a number. */
const shortNames: ReadonlySet<string> = new Set(["pass", "auth", "otp", "totp", "salt", "signature", "sig"]);

const roots = /secret|pass|pwd|credential|token|jwt|psk|key|auth|bearer|basic|cookie|connection|dsn|otp|salt|sig/giu;

const longest = 64;

export function compact(name: string): string {
  return name
    .slice(-longest)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/gu, "");
}

export function isSecretName(name: string): boolean {
  const plain = compact(name);
  return plain.search(roots) !== -1 && endsInSecret(plain) && !tokenCount.test(plain);
}

/** `auth`, `smtpPass`, `X-Signature`. */
export function isShortName(name: string): boolean {
  const words = name
    .slice(-longest)
    .replaceAll(/([a-z\d])([A-Z])/gu, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/u);
  return shortNames.has(words.findLast((word) => word !== "") ?? "");
}

/** Enough for not quoting a value in a message. */
export function holdsSecretName(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/gu, "");
  return secretWords.some((word) => plain.includes(word));
}

/** A list of secrets, or of objects that say where tokens are found. */
export function isTokenList(name: string): boolean {
  return compact(name).endsWith("tokens") && isSecretName(name);
}

export function mayBeSecret(text: string): boolean {
  return countSecretRoots(text) > 0;
}

/** How often a text, with escapes undone, names what may be a secret. */
export function countSecretRoots(text: string): number {
  const plain = text.includes("\\") ? withoutEscapes(text) : text;
  return plain.match(roots)?.length ?? 0;
}

/** However often the backslash itself is escaped. */
function withoutEscapes(text: string): string {
  return text.replaceAll(/\\(?:u[\da-f]{4}|x[\da-f]{2}|\/)/giu, (escape) => {
    return escape.length === 2 ? "/" : String.fromCharCode(Number.parseInt(escape.slice(2), 16));
  });
}
