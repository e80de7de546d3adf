import { isObject } from "../core/json.js";
import { escapeActive, unicodeEscape } from "../core/visible.js";
import { isResourceId, kindNames } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";

/** A resource that Terraform manages. Of its attributes, which hold secrets in clear, only ids are taken over. */
export interface TfResource {
  readonly address: TfAddress;
  readonly type: string;
  readonly id: string | null;
  /** Whether Terraform has replaced it already, and would still delete it. */
  readonly deposed: boolean;
  /** What its attributes list that is a resource of the service, too, and that edgewise may manage. */
  readonly parts: readonly TfPart[];
}

interface TfPart {
  readonly attribute: string;
  readonly index: number;
  readonly id: string | null;
}

export interface TfAddress {
  /** On one line, with nothing in it that a terminal could act upon: `acme_reserved_addr.tcp["eu"]`. */
  readonly text: string;
  /** What inside the resource is meant: `.routes[0]`; empty = all of it. */
  readonly inside: string;
  /** The names of the modules, with their keys, then the name of the resource, with its key. */
  readonly words: readonly string[];
}

interface Members {
  readonly [member: string]: unknown;
}

/** The managed resources of a state of version 4; null when it is no such state. */
export function readTfState(state: unknown): readonly TfResource[] | null {
  if (!isObject(state) || state["version"] !== 4) return null;
  const found = itemsOf(state["resources"]).flatMap((resource): readonly (TfResource | null)[] => {
    if (resource === null) return [null];
    // Terraform always writes a mode; what has none was written by hand, and is not passed over.
    if (resource["mode"] !== undefined && resource["mode"] !== "managed") return [];
    return itemsOf(resource["instances"]).map((instance) =>
      instance === null ? null : tfResource(resource, instance),
    );
  });
  const resources = found.filter((resource) => resource !== null);
  return resources.length === found.length ? resources : null;
}

/** Null stands for what is no object. */
function itemsOf(list: unknown): readonly (Members | null)[] {
  if (!Array.isArray(list)) return list === undefined || list === null ? [] : [null];
  return list.map((item: unknown) => (isObject(item) ? item : null));
}

const partAttributes = [...new Set(kindNames.flatMap((kind) => kinds[kind].terraformPart?.attributes ?? []))];

function tfResource(
  { module, name, type }: Members,
  { attributes, deposed, index_key: key }: Members,
): TfResource | null {
  const address = tfAddress(module ?? "", type, name, key ?? null);
  if (address === null || typeof type !== "string") return null;
  const own = isObject(attributes) ? attributes : {};
  // Old versions of a provider call it like this beside `id`, or in its place.
  const ownName = `${type.split("_", 1)[0]}_id`;
  const parts = partAttributes.flatMap((attribute) =>
    Array.isArray(own[attribute])
      ? itemsOf(own[attribute]).map((item, index) => ({ attribute, index, id: idOf(item ?? {}, ownName) }))
      : [],
  );
  return { address, type, id: idOf(own, ownName), deposed: typeof deposed === "string" && deposed !== "", parts };
}

function idOf(attributes: Members, ownName: string): string | null {
  const id = attributes["id"] ?? attributes[ownName];
  return isResourceId(id) && id.length <= 200 ? id : null;
}

const identifier = /^[\p{ID_Start}_][\p{ID_Continue}-]*$/u;

/** @returns null when Terraform writes no address like it */
function tfAddress(module: unknown, type: unknown, name: unknown, key: unknown): TfAddress | null {
  if (typeof module !== "string" || typeof type !== "string" || typeof name !== "string") return null;
  const path = moduleWords(module);
  if (path === null || !identifier.test(type) || !identifier.test(name)) return null;
  const isIndex = typeof key === "number" && Number.isSafeInteger(key) && key >= 0;
  if (key !== null && typeof key !== "string" && !isIndex) return null;
  // As Terraform's language quotes it.
  const written = JSON.stringify(key)
    .replaceAll("${", () => "$${")
    .replaceAll("%{", "%%{");
  const text = `${module === "" ? "" : `${module}.`}${type}.${name}${key === null ? "" : `[${written}]`}`;
  return {
    text: escapeActive(text, unicodeEscape).replaceAll("\n", "\\n").replaceAll("\t", "\\t"),
    inside: "",
    words: [...path, name, ...(key === null ? [] : [String(key)])],
  };
}

export function addressInside({ inside, text, words }: TfAddress, { attribute, index }: TfPart): TfAddress {
  return {
    text,
    inside: `${inside}.${attribute}[${index}]`,
    words: [...words, attribute.replace(/s$/u, ""), String(index)],
  };
}

/** One module of a path, with its key if it has one, and the dot before the next. */
const moduleStep = /module\.([\p{ID_Start}_][\p{ID_Continue}-]*)(?:\[([0-9]+|"(?:[^"\\]|\\.)*")\])?(?:\.|$)/suy;

/** The names and keys in the path of a module; null when it is not one. */
function moduleWords(module: string): readonly string[] | null {
  const words: string[] = [];
  moduleStep.lastIndex = 0;
  for (let end = 0; end < module.length; end = moduleStep.lastIndex) {
    const step = moduleStep.exec(module);
    if (step === null) return null;
    const [, name = "", key] = step;
    words.push(name, ...(key === undefined ? [] : [key]));
  }
  return module.endsWith(".") ? null : words;
}
