import type { Json, JsonObject } from "../json.js";
import { isObject } from "../json.js";
import type { ModelContext } from "./context.js";
import { Rejection } from "./rejection.js";

/** Where the kinds that this API does not manage have their addresses. */
export const externalPaths = {
  policy: "/ip_policies",
  authority: "/certificate_authorities",
  configuration: "/endpoint_configurations",
} as const;

/** A Ref to something that this API does not list; rejects ids that the world's options don't know. */
export function externalRef(id: string, path: string, at: string, context: ModelContext): JsonObject {
  const known = context.world.options.externals;
  if (known !== null && !known.has(id)) throw unknownReference(id, at);
  return { id, uri: `${context.baseUrl}${path}/${encodeURIComponent(id)}` };
}

/** Refs to such things, in the order given. */
export function externalRefs(
  ids: readonly string[],
  path: string,
  at: string,
  context: ModelContext,
): readonly JsonObject[] {
  return ids.map((id) => externalRef(id, path, at, context));
}

/** A Ref to a backend. HTTP response backends must exist; other kinds of backends have other prefixes. */
export function backendRef(id: string, at: string, context: ModelContext): JsonObject {
  if (!id.startsWith("bkdhr_")) return externalRef(id, "/backends/other", at, context);
  if (context.world.collections.HTTPResponseBackend.get(id) === null) throw unknownReference(id, at);
  return { id, uri: `${context.baseUrl}/backends/http_response/${encodeURIComponent(id)}` };
}

/** The id in a Ref, or null when it is none. */
export function idOfRef(value: Json | undefined): string | null {
  return isObject(value) && typeof value["id"] === "string" ? value["id"] : null;
}

function unknownReference(id: string, at: string): Rejection {
  return new Rejection(400, "reference-unknown", `${at} names ${id}, which was not found; if it was just made, retry.`);
}
