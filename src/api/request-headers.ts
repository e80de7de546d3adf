import { EdgewiseError } from "../errors.js";
import type { Secret } from "../secret.js";
import { versionHeaderProblem } from "../version-header.js";
import { version } from "../version.js";

/** The version of the API that this client speaks, specification "Versioning". */
const apiVersion = "2";

export interface RequestHeaders {
  readonly withBody: { readonly [header: string]: string };
  readonly withoutBody: { readonly [header: string]: string };
}

/**
 * The headers of every request, specification "Authentication" and "Versioning".
 * @throws EdgewiseError `config` for a key or a header name that can't be sent; it never shows the key
 */
export function requestHeaders(apiKey: Secret, versionHeader: string): RequestHeaders {
  const own = { authorization: "", accept: "application/json", "user-agent": `edgewise/${version}` };
  const problem = versionHeaderProblem(versionHeader);
  if (problem !== null) {
    const name = JSON.stringify(versionHeader);
    throw new EdgewiseError("config", `${name} can't be the name of the version header: it ${problem}`, {
      remedy: "Give the name that the service documents, in the configuration's api.versionHeader.",
    });
  }
  const withoutBody = { ...own, authorization: `Bearer ${keyText(apiKey)}`, [versionHeader]: apiVersion };
  return { withoutBody, withBody: { ...withoutBody, "content-type": "application/json" } };
}

function keyText(apiKey: Secret): string {
  const remedy = `Look at what ${apiKey.source} holds.`;
  if (apiKey.missing !== null) {
    throw new EdgewiseError("config", `the API key is not available: ${apiKey.missing}`, { remedy });
  }
  const key = apiKey.reveal();
  if (!/^[\x21-\x7e]+$/.test(key)) {
    const what = key === "" ? "is empty" : "holds blanks, line breaks or other characters that no header may hold";
    throw new EdgewiseError("config", `the API key ${what}`, { remedy });
  }
  return key;
}
