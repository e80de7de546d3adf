import { anyBackend, certificateAuthority, endpointConfiguration, ipPolicy } from "../kinds/codecs.js";
import { type Json, type JsonObject, isObject } from "../core/json.js";
import { kindOfId, kinds, wrongKindOfId } from "../kinds/registry.js";
import type { ModelEnv, ModelOptions } from "./model-options.js";
import { filledText, flag, listOf, text, wrongType } from "./read-body.js";
import { Rejection } from "./request.js";
import type { IndexKey, World } from "./world.js";

export type MemberRule = Readonly<{
  /** Undefined = as if it were not named. */
  read: (value: Json, at: string, context: ModelContext) => Json | undefined;
  /** In responses; null = not kept. */
  as?: string | null;
  /** Without it a new resource must name the member. */
  unset?: (context: ModelContext) => Json | undefined;
  only?: "POST" | "PATCH";
}>;

interface MemberRules {
  readonly [member: string]: MemberRule;
}

export type ResourceModel = Readonly<{
  members: MemberRules;
  /** What a new resource has besides. @param named what its members read */
  made?: (named: JsonObject, context: ModelContext) => JsonObject;
  check?: (after: JsonObject, named: readonly string[]) => void;
  modules?: { readonly [module: string]: ModuleReader };
  listsOmitUnsetTexts?: boolean;
  /** Besides references; must cope with resources of other services. */
  keys?: (resource: JsonObject) => readonly IndexKey[];
}>;

/** What has them exists by definition. */
export type ModuleModel = Readonly<{
  /** `/edges/https/{edge}/routes/{route}` */
  path: string;
  modules: { readonly [module: string]: Readonly<{ title: string; read: ModuleReader }> };
}>;

/** What GET returns; `at` is empty for a whole body. */
export type ModuleReader = (value: Json | undefined, at: string, context: ModelContext) => JsonObject;

export type ModelContext = Readonly<{
  world: World;
  env: ModelEnv;
  baseUrl: string;
  before?: JsonObject;
}>;

export function writtenResource(model: ResourceModel, body: Json, context: ModelContext): JsonObject {
  const { before } = context;
  const modules = Object.entries(model.modules ?? {}).map(([name, read]) => [name, moduleRule(read)] as const);
  const { kept, named } = readMembers({ ...model.members, ...Object.fromEntries(modules) }, body, "", context);
  const after = { ...before, ...kept, ...(before === undefined ? model.made?.(named, context) : {}) };
  model.check?.(after, Object.keys(isObject(body) ? body : {}));
  return after;
}

function moduleRule(read: ModuleReader): MemberRule {
  return {
    read: (value, at, context) => {
      if (value !== null) return read(value, at, context);
      throw new Rejection("value-type", `${at} must be an object, not null: DELETE the module to remove it.`);
    },
    unset: () => null,
  };
}

/** `named` has the names of requests, `kept` those of responses. */
function readMembers(rules: MemberRules, body: Json | undefined, at: string, context: ModelContext) {
  const place = at === "" ? "the body" : at;
  if (body === undefined || !isObject(body)) throw wrongType(place, "a JSON object", body);
  const isNew = context.before === undefined;
  const accepted = new Map(Object.entries(rules).filter(([, { only }]) => only !== (isNew ? "PATCH" : "POST")));
  const unknown = Object.keys(body).find((member) => !accepted.has(member));
  if (unknown !== undefined) {
    const known = [...accepted.keys()].join(", ");
    throw new Rejection(
      "member-unknown",
      `${place} has an unknown member "${unknown.slice(0, 60)}"; known are ${known}.`,
    );
  }
  const [named, kept]: [Record<string, Json>, Record<string, Json>] = [{}, {}];
  for (const [member, { as = member, read, unset }] of accepted) {
    const isNamed = Object.hasOwn(body, member);
    const value = isNamed
      ? read(body[member] ?? null, at === "" ? member : `${at}.${member}`, context)
      : isNew
        ? unset?.(context)
        : undefined;
    if (value !== undefined) {
      named[member] = value;
      if (as !== null) kept[as] = value;
    } else if (isNew) throw new Rejection("member-missing", `${place} lacks the member "${member}".`);
  }
  return { named, kept };
}

export function objectOf(rules: MemberRules): ModuleReader {
  return (value, at, { before: _resource, ...context }) => readMembers(rules, value, at, context).kept;
}

/** @param check gets what was read; `at` begins its messages */
export function moduleOf(
  members: MemberRules,
  check?: (read: JsonObject, at: (member: string) => string, context: ModelContext) => void,
): ModuleReader {
  const readObject = objectOf({ enabled: { read: flag, unset: () => true }, ...members });
  return (value, at, context) => {
    const read = readObject(value, at, context);
    check?.(read, (member) => (at === "" ? member : `${at}.${member}`), context);
    return read;
  };
}

export function textMember(maxBytes = Infinity): MemberRule {
  const unset = ({ world: { options } }: ModelContext): Json =>
    options.unsetText === "omitted" ? null : options.unsetText;
  return { read: (value, at, context) => text(maxBytes)(value, at) || unset(context), unset };
}

export function shownResource(
  resource: JsonObject,
  { listsOmitUnsetTexts = false, modules = {} }: ResourceModel,
  options: ModelOptions,
  inList: boolean,
): JsonObject {
  const omits = options.unsetText === "omitted" || (inList && listsOmitUnsetTexts);
  const isEmpty = options.unsetModule === "empty";
  if (!omits && !isEmpty) return resource;
  const shown: Record<string, Json | undefined> = { ...resource };
  if (omits) for (const member of ["description", "metadata"]) if ((shown[member] ?? "") === "") delete shown[member];
  if (isEmpty) for (const module of Object.keys(modules)) if (setModule(shown[module]) === null) shown[module] = {};
  return shown;
}

export function setModule(value: Json = null): Json {
  return isObject(value) && Object.keys(value).length === 0 ? null : value;
}

const referables = {
  policy: [ipPolicy, "/ip_policies"],
  authority: [certificateAuthority, "/certificate_authorities"],
  configuration: [endpointConfiguration, "/endpoint_configurations"],
  backend: [anyBackend, "/backends/other"],
} as const;

/** Rejects ids of another kind, and those of a managed kind that the world doesn't hold. */
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

/** Sorted, as no client shall rely on its own order. */
export function refsTo(to: "policy" | "authority"): MemberRule["read"] {
  const read = refTo(to);
  return (value, at, context) => {
    const ids = listOf(value, at, "ids").map((each, index) => filledText(each, `${at}[${index}]`));
    if (to === "policy" && ids.length === 0 && context.world.options.knownValuesOnly)
      throw new Rejection("value-invalid", `${at} needs at least 1 id.`);
    return [...new Set(ids)].toSorted().flatMap((id) => read(id, at, context) ?? []);
  };
}
