import { ApiError } from "../api/api-error.js";
import type { ReadClient } from "../api/client.js";
import { EdgewiseError } from "../core/errors.js";
import { isObject } from "../core/json.js";
import { type ListedKind, collectionOf, listedKinds } from "../kinds/names.js";

export interface FirstPage {
  readonly kind: ListedKind;
  readonly latencyMs: number;
  /** Null = it can be read. Not an {@link ApiError} when the response is not this API's. */
  readonly error: EdgewiseError | null;
  readonly status: number | null;
}

export async function readFirstPages(client: ReadClient, now: () => number): Promise<readonly FirstPage[]> {
  return Promise.all(listedKinds.map((kind) => readFirstPage(client, kind, now)));
}

async function readFirstPage(client: ReadClient, kind: ListedKind, now: () => number): Promise<FirstPage> {
  const { member, path } = collectionOf(kind);
  const began = now();
  const latency = (): number => Math.round(now() - began);
  try {
    const { body, status } = await client.get(path);
    const isList = isObject(body) && Array.isArray(body[member]);
    return { kind, latencyMs: latency(), status, error: isList ? null : unlike(client.baseUrl, path, member) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === "interrupted") throw error;
    return { kind, latencyMs: latency(), status: error.status, error };
  }
}

function unlike(baseUrl: string, path: string, member: string): EdgewiseError {
  return new EdgewiseError(
    "api",
    `${baseUrl} responded, but not like this API: the response for ${path} has no ${member}`,
    { remedy: "Check the base URL: it may need a path." },
  );
}
