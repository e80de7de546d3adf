import { networkFailure } from "../../api/network-failure.js";
import { isLoopback } from "../../config/api-config.js";
import { EdgewiseError } from "../../core/errors.js";
import { parseJson } from "../../core/parse-json.js";
import { MASK } from "../../core/secret.js";
import { visibleLine } from "../../core/visible.js";

/** Reads from an `edgewise serve`. */
export interface ServeClient {
  /** Null = there is none. @throws EdgewiseError `api` */
  get(path: string): Promise<unknown>;
}

const timeoutMs = 30_000;

/** The largest answer, in bytes: that of a plan of thousands of changes. */
const mostBytes = 64 * 1024 * 1024;

/** Deeper than any answer. */
const deepest = 200;

/**
 * A client of an `edgewise serve`.
 * @param token null = none is sent
 * @throws EdgewiseError `usage` for an address that can't be used
 */
export function serveClient(server: string, token: string | null): ServeClient {
  const base = URL.canParse(server) ? new URL(server) : null;
  if (base === null || !/^https?:$/u.test(base.protocol) || base.username !== "" || base.password !== "")
    throw new EdgewiseError("usage", `--server ${visibleLine(server)} is not the URL of an edgewise serve`, {
      remedy: "Write it as http://127.0.0.1:7070 or https://serve.example.com.",
    });
  if (base.protocol === "http:" && !isLoopback(base.hostname))
    throw new EdgewiseError("usage", `--server ${base.origin} is plain http to another machine`, {
      remedy: "Use https, or a tunnel to this machine: anybody between could show you another plan.",
    });
  let prefix = base.pathname;
  while (prefix.endsWith("/")) prefix = prefix.slice(0, -1);
  return {
    async get(path) {
      const url = `${base.origin}${prefix}${path}`;
      const answer = await answerOf(url, token);
      if (answer.status === 404) return null;
      if (answer.status === 401)
        throw failed(url, "it wants a token", "Name the file that holds it with --token-file.");
      if (answer.status !== 200) throw failed(url, `it answers ${answer.status}`, null);
      const parsed = parseJson(answer.text, deepest);
      if (!("value" in parsed)) throw failed(url, "its answer is not JSON", "Is it the URL of an edgewise serve?");
      return parsed.value;
    },
  };
}

async function answerOf(
  url: string,
  token: string | null,
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { accept: "application/json", ...(token === null ? {} : { authorization: `Bearer ${token}` }) };
  try {
    const response = await fetch(url, { headers, redirect: "error", signal: AbortSignal.timeout(timeoutMs) });
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > mostBytes) throw new Error("its answer is too long");
      chunks.push(chunk);
    }
    const text = Buffer.concat(chunks).toString("utf8");
    return { status: response.status, text: token === null ? text : text.replaceAll(token, MASK) };
  } catch (cause) {
    const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    const { code, message } = networkFailure(inner);
    const own = inner instanceof Error ? inner.message : String(inner);
    throw failed(
      url,
      code === null ? own : message,
      "Start edgewise serve, or correct --server: it is the address that serve listens on (`listen` in the fleet file, or --listen).",
    );
  }
}

function failed(url: string, why: string, remedy: string | null): EdgewiseError {
  return new EdgewiseError("api", `${url} can't be read: ${visibleLine(why)}`, remedy === null ? {} : { remedy });
}
