/** Headers that the client or the transport sets, or that carry credentials. */
const taken: ReadonlySet<string> = new Set([
  "authorization",
  "cookie",
  "cookie2",
  "host",
  "transfer-encoding",
  "te",
  "trailer",
  "connection",
  "keep-alive",
  "upgrade",
  "expect",
  "accept",
  "accept-encoding",
  "user-agent",
  "x-api-key",
  "x-auth-token",
  "forwarded",
]);

/** How the names of such headers begin. */
const takenPrefixes: readonly string[] = ["proxy-", "content-", "x-forwarded-"];

/** What is wrong with a name for the header that carries the API's version, or null. */
export function versionHeaderProblem(name: string): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) return "is not the name of a header";
  const lower = name.toLowerCase();
  const isTaken = taken.has(lower) || takenPrefixes.some((prefix) => lower.startsWith(prefix));
  return isTaken ? `may not be ${name}: that header has another meaning` : null;
}
