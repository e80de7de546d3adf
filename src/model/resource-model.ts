import { type Json, type JsonObject, isObject } from "../json.js";
import type { ModelEnv } from "./model-options.js";
import { text } from "./read-body.js";
import { Rejection } from "./request.js";
import type { IndexKey, World } from "./world.js";

/** The rules of one kind: how bodies become resources. All of them reject what is not acceptable. */
export interface ResourceModel {
  /** Begins every id. */
  readonly prefix: string;
  /** The resource without `id`, `uri` and `created_at`. */
  readonly create: (body: Json | undefined, context: ModelContext) => JsonObject;
  /** The members that change. */
  readonly update: (body: Json | undefined, before: JsonObject, context: ModelContext) => JsonObject;
  /** Its modules, by field. */
  readonly modules?: { readonly [module: string]: ModuleReader };
  /** The resource with one module put, or removed for null; when absent, modules don't depend on each other. */
  readonly withModule?: (resource: JsonObject, module: string, value: JsonObject | null) => JsonObject;
  /** Asked before a DELETE. */
  readonly mayRemove?: (before: JsonObject, context: ModelContext) => void;
  /** How it looks in a list when that differs from GET. */
  readonly listed?: (resource: JsonObject) => JsonObject;
  /** The keys under which it is found; must cope with resources that some other service made. */
  readonly keys: (resource: JsonObject) => readonly IndexKey[];
}

/** The modules of one kind that no list shows. What has them exists by definition. */
export interface ModuleModel {
  /** Of what has the modules, with a name in braces for each id: `/edges/https/{edge}/routes/{route}`. */
  readonly path: string;
  readonly modules: { readonly [module: string]: { readonly title: string; readonly read: ModuleReader } };
}

/** Reads the parameters of a module into what GET returns; `at` names it in messages, empty for a whole body. */
export type ModuleReader = (value: Json | undefined, at: string, context: ModelContext) => JsonObject;

/** What the rules of a resource read while they answer one request. */
export interface ModelContext {
  readonly world: World;
  readonly env: ModelEnv;
  /** Begins every `uri` of the answer. */
  readonly baseUrl: string;
}

/** The limits of most kinds, in bytes. */
export const descriptionText = text(255);
export const metadataText = text(4096);

/** An optional text as it is stored: "" clears it. */
export function storedText(value: string | undefined, context: ModelContext): Json {
  return value === undefined || value === "" ? context.world.options.unsetText : value;
}

/** The description and metadata that a body names, as they are stored. */
export function namedTexts(
  body: { readonly description?: string; readonly metadata?: string },
  context: ModelContext,
): { readonly [member: string]: Json } {
  return {
    ...(body.description === undefined ? {} : { description: storedText(body.description, context) }),
    ...(body.metadata === undefined ? {} : { metadata: storedText(body.metadata, context) }),
  };
}

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

/** Refs to the policies of a restriction: not every service takes none. */
export function policyRefs(ids: readonly string[], at: string, context: ModelContext): readonly JsonObject[] {
  if (context.world.options.knownValuesOnly && ids.length === 0)
    throw new Rejection(400, "value-invalid", `${at} needs at least 1 id.`);
  return externalRefs(ids, externalPaths.policy, at, context);
}

/** The id in a Ref, or null when it is none. */
export function idOfRef(value: Json | undefined): string | null {
  return isObject(value) && typeof value["id"] === "string" ? value["id"] : null;
}

/** The rejection of an id that nothing has. */
export function unknownReference(id: string, at: string): Rejection {
  return new Rejection(400, "reference-unknown", `${at} names ${id}, which was not found; if it was just made, retry.`);
}
