/** Headers that the client or the transport sets, or that carry credentials. */
const taken =
  /^(authorization|proxy-.*|cookie2?|host|content-.*|transfer-encoding|te|trailer|connection|keep-alive|upgrade|expect|accept|accept-encoding|user-agent|x-api-key|x-auth-token|x-forwarded-.*|forwarded)$/i;

/** What is wrong with a name for the header that carries the API's version, or null. */
export function versionHeaderProblem(name: string): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) return "is not the name of a header";
  return taken.test(name) ? `may not be ${name}: that header has another meaning` : null;
}
