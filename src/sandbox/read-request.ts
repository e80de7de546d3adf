import type { IncomingMessage } from "node:http";
import type { Json } from "../json.js";
import { httpProblem } from "./http-problem.js";
import type { HttpProblem } from "./http-problem.js";

/** Path and query of a request target. */
export interface RequestTarget {
  /** Without the query, still percent-encoded. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
}

/** Takes a request target apart. What it is relative to never matters, so no URL is built from it. */
export function readTarget(url: string): RequestTarget {
  const target = url.replace(/^https?:\/\/[^/?]*/i, "");
  const mark = target.indexOf("?");
  if (mark < 0) return { path: target, query: [] };
  return { path: target.slice(0, mark), query: [...new URLSearchParams(target.slice(mark + 1))] };
}

/**
 * Reads the whole body.
 * @returns its bytes; a problem when there are more than `most`; null when the client went away
 */
export async function readBody(incoming: IncomingMessage, most: number): Promise<Buffer | HttpProblem | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming) {
      // Read to its end even when it is too long: a client that is still sending would not see the answer.
      size += (chunk as Buffer).length;
      if (size <= most) chunks.push(chunk as Buffer);
      if (size > 32 * most) return null;
    }
  } catch {
    return null;
  }
  if (size > most) return httpProblem("size", `the body is longer than ${most} bytes.`);
  return Buffer.concat(chunks);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The JSON in a body, wrapped so that `null` is told from a problem. */
export function readJson(bytes: Buffer): { readonly json: Json } | HttpProblem {
  try {
    // What JSON.parse returns is JSON.
    return { json: JSON.parse(utf8.decode(bytes)) as Json };
  } catch {
    return httpProblem("json", "the body is not JSON in UTF-8.");
  }
}
