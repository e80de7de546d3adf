import { isObject } from "../core/json.js";
import { escapeActive, unicodeEscape } from "../core/visible.js";
import { isResourceId, kindNames } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";

/** A resource that Terraform manages. Of its attributes, which hold secrets in clear, only ids are taken over. */
export interface TfResource {
  readonly address: TfAddress;
  readonly type: string;
  /** Null when the state has none that could be one. */
  readonly id: string | null;
  /** Whether Terraform has replaced it already, and would still delete it. */
  readonly deposed: boolean;
  /** What its attributes list that is a resource of the service, too, and that edgewise may manage. */
  readonly parts: readonly TfPart[];
}

/** An item of an attribute of a resource. */
export interface TfPart {
  readonly attribute: string;
  readonly index: number;
  readonly id: string | null;
}

interface Members {
  readonly [member: string]: unknown;
}

/**
 * The managed resources of a Terraform or OpenTofu state, in the order of the state: the state itself (version 4, as in
 * `terraform.tfstate` and from `terraform state pull`), or what `terraform show -json` makes of it. Data sources are left
 * out: Terraform only reads them.
 * @param state what was parsed from the file
 * @returns null when it is no such state
 */
export function readTfState(state: unknown): readonly TfResource[] | null {
  if (!isObject(state) || "planned_values" in state || "resource_changes" in state) return null;
  const found: (TfResource | null)[] = [];
  if (typeof state["format_version"] === "string")
    addShown(isObject(state["values"]) ? state["values"]["root_module"] : {}, found);
  else if (state["version"] === 4) addListed(state, found);
  else return null;
  const resources = found.filter((resource) => resource !== null);
  return resources.length === found.length ? resources : null;
}

/** Of the state itself. Adds null for what is no resource. */
function addListed(state: Members, found: (TfResource | null)[]): void {
  for (const resource of managedIn(state)) {
    if (resource === null) found.push(null);
    for (const instance of itemsOf(resource?.["instances"])) {
      // States that were upgraded from version 3 have flat attributes until the next apply.
      const { attributes_flat: flat, attributes = flat, deposed, index_key: key } = instance ?? {};
      found.push(
        instance === null
          ? null
          : tfResource(resource ?? {}, { module: resource?.["module"], key, attributes, deposed }),
      );
    }
  }
}

/** Of a module in the output of `terraform show -json`, with those in it. The file's reader bounds how deep they are. */
function addShown(module: unknown, found: (TfResource | null)[]): void {
  if (!isObject(module)) return void found.push(null);
  for (const resource of managedIn(module)) {
    const { deposed_key: deposed, index: key, values: attributes } = resource ?? {};
    found.push(resource && tfResource(resource, { module: module["address"], key, attributes, deposed }));
  }
  for (const child of itemsOf(module["child_modules"])) addShown(child, found);
}

/** Terraform always writes a mode; what has none was written by hand, and is not passed over. */
function managedIn({ resources }: Members): readonly (Members | null)[] {
  return itemsOf(resources).filter((each) => each?.["mode"] === undefined || each["mode"] === "managed");
}

/** The objects of what should be a list of them; null stands for whatever else is there. */
function itemsOf(list: unknown): readonly (Members | null)[] {
  if (!Array.isArray(list)) return list === undefined || list === null ? [] : [null];
  return list.map((item: unknown) => (isObject(item) ? item : null));
}

const partAttributes = [...new Set(kindNames.flatMap((kind) => kinds[kind].terraformPart?.attributes ?? []))];

function tfResource({ name, type }: Members, { attributes, deposed, key, module }: Members): TfResource | null {
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

/** The longest id that is taken for one, in UTF-16 units. */
const longestId = 200;

function idOf(attributes: Members, ownName: string): string | null {
  const id = attributes["id"] ?? attributes[ownName];
  return isResourceId(id) && id.length <= longestId ? id : null;
}

/** The address as Terraform writes and reads it, and the words in it that tell resources apart. */
export interface TfAddress {
  /** On one line, with nothing in it that a terminal could act upon: `acme_reserved_addr.tcp["eu"]`. */
  readonly text: string;
  /** What inside the resource is meant: `.routes[0]`; empty = all of it. */
  readonly inside: string;
  /** The names of the modules, with their keys, then the name of the resource, with its key. */
  readonly words: readonly string[];
}

const identifier = /^[\p{ID_Start}_][\p{ID_Continue}-]*$/u;

/**
 * The address of a resource; null when Terraform writes none like it.
 * @param key the index of `count`, the key of `for_each`, or null
 */
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

/** The address of something that an attribute of a resource lists. */
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
