import { type Json, type JsonObject, isObject } from "../core/json.js";
import { kindOfId, wrongKindOfId } from "../kinds/id-prefixes.js";
import { kinds } from "../kinds/registry.js";
import { anyBackend, certificateAuthority, endpointConfiguration, ipPolicy } from "../kinds/referred-kinds.js";
import type { ModelEnv, ModelOptions } from "./model-options.js";
import { filledText, flag, ids, readObject, text } from "./read-body.js";
import { Rejection } from "./request.js";
import type { IndexKey, World } from "./world.js";

/** A member that requests name. */
export interface MemberRule {
  /** What a resource then holds; undefined = as if the member were not named. */
  readonly read: (value: Json, at: string, context: ModelContext) => Json | undefined;
  /** What responses call it; null = it is not kept. */
  readonly as?: string | null;
  /** What is held when it is not named at first; absent or undefined = it must be named. */
  readonly unset?: (context: ModelContext) => Json | undefined;
  readonly only?: "POST" | "PATCH";
}

export interface MemberRules {
  readonly [member: string]: MemberRule;
}

/** The rules of one kind: how bodies become resources. All of them reject what is not acceptable. */
export interface ResourceModel {
  readonly members: MemberRules;
  /** What a new resource has besides them, but for `id`, `uri` and `created_at`. @param named what its members read */
  readonly made?: (named: JsonObject, context: ModelContext) => JsonObject;
  /** Looks at a resource as it is to be. @param named the members that the request sets */
  readonly check?: (after: JsonObject, named: readonly string[]) => void;
  /** Its modules, by field: members, too. */
  readonly modules?: { readonly [module: string]: ModuleReader };
  /** Whether lists leave out unset texts whatever the options say. */
  readonly listsOmitUnsetTexts?: boolean;
  /** The keys under which it is found besides its references; must cope with resources that some other service made. */
  readonly keys?: (resource: JsonObject) => readonly IndexKey[];
}

/** The modules of one kind that no list shows. What has them exists by definition. */
export interface ModuleModel {
  /** Of what has the modules, with a name in braces for each id: `/edges/https/{edge}/routes/{route}`. */
  readonly path: string;
  readonly modules: { readonly [module: string]: { readonly title: string; readonly read: ModuleReader } };
}

/** Reads the parameters of a module into what GET returns; `at` names it in messages, empty for a whole body. */
export type ModuleReader = (value: Json | undefined, at: string, context: ModelContext) => JsonObject;

export interface ModelContext {
  readonly world: World;
  readonly env: ModelEnv;
  /** Begins every `uri` of the answer. */
  readonly baseUrl: string;
  readonly before?: JsonObject;
}

/** The resource that a body makes, or makes of the one before, without `id`, `uri` and `created_at`. */
export function writtenResource(model: ResourceModel, body: Json, context: ModelContext): JsonObject {
  const { before } = context;
  const rules = {
    ...model.members,
    ...Object.fromEntries(Object.entries(model.modules ?? {}).map(([name, read]) => [name, moduleRule(read)])),
  };
  const named = readMembers(rules, body, "", context);
  const kept = keptMembers(rules, named);
  const after = { ...before, ...kept, ...(before === undefined ? model.made?.(named, context) : {}) };
  model.check?.(after, Object.keys(isObject(body) ? body : {}));
  return after;
}

/** A module beside other members: one that is named replaces what was there completely. */
function moduleRule(read: ModuleReader): MemberRule {
  return {
    read: (value, at, context) => {
      if (value !== null) return read(value, at, context);
      const remedy = "leave it out to keep what is there, DELETE the module to remove it";
      throw new Rejection("value-type", `${at} must be an object, not null: ${remedy}.`);
    },
    unset: () => null,
  };
}

/** Reads the members of an object by their requests' names, with what is unset where nothing was before. */
function readMembers(rules: MemberRules, body: Json | undefined, at: string, context: ModelContext): JsonObject {
  const isNew = context.before === undefined;
  const accepted = Object.entries(rules).filter(([, { only }]) => only !== (isNew ? "PATCH" : "POST"));
  const shape = Object.fromEntries(
    accepted.map(([name, { read }]) => [name, (value: Json, place: string) => read(value, place, context)]),
  );
  const unset = accepted.map(([name, rule]) => [name, isNew ? rule.unset?.(context) : undefined] as const);
  const required = isNew ? unset.filter(([, value]) => value === undefined).map(([name]) => name) : [];
  const named = readObject(body, at, shape, required);
  return { ...Object.fromEntries(unset.filter(([, value]) => value !== undefined)), ...named };
}

function keptMembers(rules: MemberRules, named: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, value]) => {
      const { as = name } = rules[name] ?? {};
      return as === null || value === undefined ? [] : [[as, value]];
    }),
  );
}

/** A module with these members and `enabled`. @param check looks at what was read; `at` begins its messages */
export function moduleOf(
  members: MemberRules,
  check?: (read: JsonObject, at: (member: string) => string, context: ModelContext) => void,
): ModuleReader {
  const rules: MemberRules = { enabled: { read: flag, unset: () => true }, ...members };
  return (value, at, { before: _resource, ...context }) => {
    const read = keptMembers(rules, readMembers(rules, value, at, context));
    check?.(read, (member) => (at === "" ? member : `${at}.${member}`), context);
    return read;
  };
}

/** A description or metadata as it is stored: "" clears it. The limits of most kinds are 255 and 4,096 bytes. */
export function textMember(maxBytes = Infinity): MemberRule {
  const unset = ({ world }: ModelContext): Json => storedUnsetText(world.options);
  return { read: (value, at, context) => text(maxBytes)(value, at) || unset(context), unset };
}

function storedUnsetText({ unsetText }: Pick<ModelOptions, "unsetText">): Json {
  return unsetText === "omitted" ? null : unsetText;
}

/** A resource of another service, the texts that it has unset as one with these options stores them. */
export function withStoredTexts(resource: JsonObject, options: Pick<ModelOptions, "unsetText">): JsonObject {
  const unset = texts.filter((text) => resource[text] !== undefined && isUnsetText(resource[text]));
  return { ...resource, ...Object.fromEntries(unset.map((text) => [text, storedUnsetText(options)])) };
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

const texts = ["description", "metadata"] as const;

function isUnsetText(value: Json | undefined): boolean {
  return value === undefined || value === null || value === "";
}

/** A module as a resource holds it; null when it is not set, which services show as null or `{}`. */
export function setModule(value: Json | undefined): JsonObject | null {
  return isObject(value) && Object.keys(value).length > 0 ? value : null;
}

/** What fields refer to, and where those that this API does not list have their addresses. */
const referables = {
  policy: [ipPolicy, "/ip_policies"],
  authority: [certificateAuthority, "/certificate_authorities"],
  configuration: [endpointConfiguration, "/endpoint_configurations"],
  backend: [anyBackend, "/backends/other"],
} as const;

/** A Ref; rejects ids of another kind, and those of a managed kind that the world doesn't hold. */
export function refTo(to: keyof typeof referables): MemberRule["read"] {
  return (value, at, { baseUrl, world }) => {
    const id = filledText(value, at);
    const [referred, path] = referables[to];
    const wrong = wrongKindOfId(id, referred);
    if (wrong !== null) throw new Rejection("value-invalid", `${at} names ${id}, but ${wrong}.`);
    const kind = kindOfId(id);
    const managed = kind !== null && kind === referred.kind ? kind : null;
    if (managed !== null && world.collections[managed].get(id) === null)
      throw new Rejection("reference-unknown", `${at} names ${id}, which was not found; if it was just made, retry.`);
    const where = managed === null ? path : kinds[managed].collection?.path;
    return { id, uri: `${baseUrl}${where}/${encodeURIComponent(id)}` };
  };
}

/** Refs to policies or authorities. Not every service takes a restriction without policies. */
export function refsTo(to: "policy" | "authority"): MemberRule["read"] {
  const read = refTo(to);
  return (value, at, context) => {
    const found = ids(value, at);
    if (to === "policy" && found.length === 0 && context.world.options.knownValuesOnly)
      throw new Rejection("value-invalid", `${at} needs at least 1 id.`);
    return found.flatMap((id) => read(id, at, context) ?? []);
  };
}
