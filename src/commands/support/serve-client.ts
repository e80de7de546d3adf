import { networkFailure } from "../../api/network-failure.js";
import { isLoopback } from "../../config/api-config.js";
import { EdgewiseError } from "../../core/errors.js";
import { parseJson } from "../../core/parse-json.js";
import { MASK } from "../../core/secret.js";
import { visibleLine } from "../../core/visible.js";

/** Reads a path of an `edgewise serve`; null = there is nothing. */
export type ReadServe = (path: string) => Promise<unknown>;

const timeoutMs = 30_000;

/** Deeper than any answer. */
const deepest = 200;

/**
 * A client of an `edgewise serve`.
 * @param token null = none is sent
 */
export function serveClient(server: string, token: string | null): ReadServe {
  const base = URL.canParse(server) ? new URL(server) : null;
  if (base === null || !/^https?:$/u.test(base.protocol) || base.username !== "" || base.password !== "")
    throw new EdgewiseError("usage", `--server ${visibleLine(server)} is not the URL of an edgewise serve`, {
      remedy: "Write it as http://127.0.0.1:7070 or https://serve.example.com.",
    });
  if (base.protocol === "http:" && !isLoopback(base.hostname))
    throw new EdgewiseError("usage", `--server ${base.origin} is plain http to another machine`, {
      remedy: "Use https, or a tunnel to this machine: anybody between could show you another plan.",
    });
  const headers = { accept: "application/json", ...(token === null ? {} : { authorization: `Bearer ${token}` }) };
  return async (path) => {
    const url = `${base.origin}${base.pathname.replace(/\/$/u, "")}${path}`;
    const { status, text } = await fetch(url, { headers, redirect: "error", signal: AbortSignal.timeout(timeoutMs) })
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch((cause: unknown) => {
        const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
        const { code, message } = networkFailure(inner);
        const own = inner instanceof Error ? inner.message : String(inner);
        throw failed(
          url,
          code === null ? own : message,
          "Start edgewise serve, or correct --server: it is the address that serve listens on (`listen` in the fleet file, or --listen).",
        );
      });
    if (status === 404) return null;
    if (status === 401) throw failed(url, "it wants a token", "Name the file that holds it with --token-file.");
    if (status !== 200) throw failed(url, `it answers ${status}`, "The log of edgewise serve says why.");
    const parsed = parseJson(token === null ? text : text.replaceAll(token, MASK), deepest);
    if ("value" in parsed) return parsed.value;
    throw failed(url, "its answer is not JSON", "Is it the URL of an edgewise serve?");
  };
}

function failed(url: string, why: string, remedy: string): EdgewiseError {
  return new EdgewiseError("api", `${url} can't be read: ${visibleLine(why)}`, { remedy });
}
