import { type Json, type JsonObject, isObject } from "../core/json.js";
import { kindOfId, wrongKindOfId } from "../kinds/id-prefixes.js";
import type { ReferredKind } from "../kinds/kind.js";
import { kinds } from "../kinds/registry.js";
import { anyBackend, certificateAuthority, endpointConfiguration, ipPolicy } from "../kinds/referred-kinds.js";
import type { ModelEnv, ModelOptions } from "./model-options.js";
import { text } from "./read-body.js";
import { Rejection } from "./request.js";
import type { IndexKey, World } from "./world.js";

/** The rules of one kind: how bodies become resources. All of them reject what is not acceptable. */
export interface ResourceModel {
  /** The resource without `id`, `uri` and `created_at`. */
  readonly create: (body: Json | undefined, context: ModelContext) => JsonObject;
  /** The members that change. */
  readonly update: (body: Json | undefined, before: JsonObject, context: ModelContext) => JsonObject;
  /** Its modules, by field. */
  readonly modules?: { readonly [module: string]: ModuleReader };
  /** The resource with one module put, or removed for null; when absent, modules don't depend on each other. */
  readonly withModule?: (resource: JsonObject, module: string, value: JsonObject | null) => JsonObject;
  /** Whether lists leave out unset texts whatever the options say. */
  readonly listsOmitUnsetTexts?: boolean;
  /** The keys under which it is found besides its references; must cope with resources that some other service made. */
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
export function storedText(value: string | undefined, { world }: ModelContext): Json {
  return value === undefined || value === "" ? storedUnsetText(world.options) : value;
}

function storedUnsetText({ unsetText }: Pick<ModelOptions, "unsetText">): Json {
  return unsetText === "omitted" ? null : unsetText;
}

/** A resource of another service, the texts that it has unset as one with these options stores them. */
export function withStoredTexts(resource: JsonObject, options: Pick<ModelOptions, "unsetText">): JsonObject {
  const unset = texts.filter((text) => resource[text] !== undefined && isUnsetText(resource[text]));
  return { ...resource, ...Object.fromEntries(unset.map((text) => [text, storedUnsetText(options)])) };
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

/** A resource as a service with these options returns it. */
export function shownResource(
  resource: JsonObject,
  { listsOmitUnsetTexts = false, modules = {} }: ResourceModel,
  { options, inList = false }: { readonly options: ModelOptions; readonly inList?: boolean },
): JsonObject {
  const omits = options.unsetText === "omitted" || (inList && listsOmitUnsetTexts);
  const isEmpty = options.unsetModule === "empty";
  if (!omits && !isEmpty) return resource;
  const shown: Record<string, Json | undefined> = { ...resource };
  if (omits) for (const text of texts) if (isUnsetText(shown[text])) delete shown[text];
  if (isEmpty) for (const module of Object.keys(modules)) if (setModule(shown[module]) === null) shown[module] = {};
  return shown;
}

/** The texts that every kind has. */
const texts = ["description", "metadata"] as const;

function isUnsetText(value: Json | undefined): boolean {
  return value === undefined || value === null || value === "";
}

/** A module as a resource holds it; null when it is not set, which services show as null or `{}`. */
export function setModule(value: Json | undefined): JsonObject | null {
  return isObject(value) && Object.keys(value).length > 0 ? value : null;
}

/** What fields refer to, and where those that this API does not list have their addresses. */
interface Referable {
  readonly referred: ReferredKind;
  readonly path: string;
}

export const referables = {
  policy: { referred: ipPolicy, path: "/ip_policies" },
  authority: { referred: certificateAuthority, path: "/certificate_authorities" },
  configuration: { referred: endpointConfiguration, path: "/endpoint_configurations" },
  backend: { referred: anyBackend, path: "/backends/other" },
} as const satisfies { readonly [name: string]: Referable };

/**
 * A Ref; rejects ids of another kind, those of a managed kind that the world doesn't hold, and others that its options
 * don't know.
 */
export function refTo(id: string, { path, referred }: Referable, at: string, context: ModelContext): JsonObject {
  const wrong = wrongKindOfId(id, referred);
  if (wrong !== null) throw new Rejection(400, "value-invalid", `${at} names ${id}, but ${wrong}.`);
  const { collections, options } = context.world;
  const kind = kindOfId(id);
  const managed = kind !== null && kind === referred.kind ? kind : null;
  const isKnown = managed === null ? (options.externals?.has(id) ?? true) : collections[managed].get(id) !== null;
  if (!isKnown)
    throw new Rejection(
      400,
      "reference-unknown",
      `${at} names ${id}, which was not found; if it was just made, retry.`,
    );
  const where = managed === null ? path : kinds[managed].collection?.path;
  return { id, uri: `${context.baseUrl}${where}/${encodeURIComponent(id)}` };
}

/** Refs, in the order given. */
export function refsTo(
  ids: readonly string[],
  referable: Referable,
  at: string,
  context: ModelContext,
): readonly JsonObject[] {
  return ids.map((id) => refTo(id, referable, at, context));
}

/** Refs to the policies of a restriction: not every service takes none. */
export function policyRefs(ids: readonly string[], at: string, context: ModelContext): readonly JsonObject[] {
  if (context.world.options.knownValuesOnly && ids.length === 0)
    throw new Rejection(400, "value-invalid", `${at} needs at least 1 id.`);
  return refsTo(ids, referables.policy, at, context);
}
