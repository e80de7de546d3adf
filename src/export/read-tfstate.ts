import { isObject } from "../core/json.js";
import { isResourceId, kindNames } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { unicodeEscape, escapeActive } from "../core/visible.js";

/** A resource that Terraform manages. Of its attributes, which hold secrets in clear, only the id is taken over. */
export interface TfResource {
  readonly address: TfAddress;
  readonly type: string;
  /** Null when the state has none that could be one. */
  readonly id: string | null;
  /** `tainted`: Terraform would replace it. `deposed`: it has replaced it already, and would still delete it. */
  readonly condition: "current" | "tainted" | "deposed";
  /** What its attributes list that is a resource of the service, too, and that edgewise may manage. */
  readonly parts: readonly TfPart[];
}

/** An item of an attribute of a resource. */
export interface TfPart {
  readonly attribute: string;
  readonly index: number;
  /** Null when the state has none that could be one. */
  readonly id: string | null;
}

/** What a state manages, or why it can't be read: a predicate of which the file is the subject, and what to do. */
export type TfState =
  | { readonly resources: readonly TfResource[] }
  | { readonly problem: string; readonly remedy: string };

/** The longest id that is taken for one, in UTF-16 units. */
const longestId = 200;

/**
 * The managed resources of a Terraform or OpenTofu state, in the order of the state: the state itself (version 4, as in
 * `terraform.tfstate` and from `terraform state pull`), or what `terraform show -json` makes of it. Data sources are left
 * out: Terraform only reads them. No value of the state but addresses and ids is in what this returns.
 * @param state what was parsed from the file
 */
export function readTfState(state: unknown): TfState {
  if (!isObject(state)) return notState;
  if ("encrypted_data" in state) {
    return {
      problem: "is encrypted",
      remedy:
        "Let OpenTofu decrypt it: `tofu state pull > FILE`. Delete that file afterwards: it holds secrets in clear.",
    };
  }
  if ("planned_values" in state || "resource_changes" in state) {
    return { problem: "is a plan of Terraform, not a state", remedy: pull };
  }
  const found: (TfResource | null)[] = [];
  if (typeof state["format_version"] === "string") {
    const { values } = state;
    shownResources(isObject(values) ? values["root_module"] : undefined, found);
  } else if (state["version"] === 4) listedResources(state, found);
  else if (typeof state["version"] === "number") {
    return {
      problem: `is a Terraform state of version ${state["version"]}; edgewise reads version 4`,
      remedy:
        "Versions before 4 are upgraded by Terraform 0.12 or later: run `terraform apply -refresh-only` there first.",
    };
  } else return notState;
  const resources = found.filter((resource) => resource !== null);
  if (resources.length === found.length) return { resources };
  return {
    problem: "is not a Terraform state: a resource in it has no address that Terraform could have written",
    remedy: pull,
  };
}

const pull = "Name a state: `terraform state pull > FILE`. Delete that file afterwards: it holds secrets in clear.";
const notState = { problem: "is not a Terraform state", remedy: pull } as const;

/** The state itself. Adds null for what is no resource. */
function listedResources(state: { readonly [member: string]: unknown }, found: (TfResource | null)[]): void {
  for (const resource of itemsOf(state["resources"])) {
    if (!isObject(resource)) found.push(null);
    else if (isManaged(resource)) {
      for (const instance of itemsOf(resource["instances"])) {
        const {
          attributes,
          attributes_flat: flat,
          deposed,
          index_key: key,
          status,
        } = isObject(instance) ? instance : {};
        const condition = conditionOf(deposed, status === "tainted");
        // States that were upgraded from version 3 have flat attributes until the next apply.
        const given = { attributes: attributes ?? flat, condition };
        found.push(isObject(instance) ? tfResource(resource, resource["module"], key, given) : null);
      }
    }
  }
}

/** A module in the output of `terraform show -json`, with those in it. The reader of the file bounds how deep they are. */
function shownResources(module: unknown, found: (TfResource | null)[]): void {
  if (module === undefined) return;
  if (!isObject(module)) return void found.push(null);
  for (const resource of itemsOf(module["resources"])) {
    if (!isObject(resource)) found.push(null);
    else if (isManaged(resource)) {
      const condition = conditionOf(resource["deposed_key"], resource["tainted"] === true);
      const given = { attributes: resource["values"], condition };
      found.push(tfResource(resource, module["address"], resource["index"], given));
    }
  }
  for (const child of itemsOf(module["child_modules"])) shownResources(child, found);
}

/** Terraform always writes a mode; what has none was written by hand, and is not passed over. */
function isManaged({ mode }: { readonly [member: string]: unknown }): boolean {
  return mode === undefined || mode === "managed";
}

/** What should be a list; null stands for whatever else is there. */
function itemsOf(list: unknown): readonly unknown[] {
  if (list === undefined || list === null) return [];
  return Array.isArray(list) ? (list as readonly unknown[]) : [null];
}

function conditionOf(deposed: unknown, tainted: boolean): TfResource["condition"] {
  return typeof deposed === "string" && deposed !== "" ? "deposed" : tainted ? "tainted" : "current";
}

function tfResource(
  { name, type }: { readonly [member: string]: unknown },
  module: unknown,
  key: unknown,
  { attributes, condition }: { readonly attributes: unknown; readonly condition: TfResource["condition"] },
): TfResource | null {
  if (typeof type !== "string" || typeof name !== "string" || typeof (module ?? "") !== "string") return null;
  if (key !== undefined && key !== null && typeof key !== "string" && typeof key !== "number") return null;
  const address = tfAddress(typeof module === "string" ? module : "", type, name, key ?? undefined);
  if (address === null) return null;
  if (!isObject(attributes)) return { address, type, id: null, condition, parts: [] };
  const ownName = `${type.split("_", 1)[0]}_id`;
  const parts = partAttributes.flatMap((attribute) => partsOf(attribute, attributes, ownName));
  return { address, type, id: idOf(attributes, ownName), condition, parts };
}

const partAttributes = [...new Set(kindNames.flatMap((kind) => kinds[kind].terraformPart?.attributes ?? []))];

function partsOf(attribute: string, attributes: Attributes, ownName: string): readonly TfPart[] {
  const items: unknown = attributes[attribute];
  if (!Array.isArray(items)) return [];
  return items.map((item: unknown, index) => ({ attribute, index, id: isObject(item) ? idOf(item, ownName) : null }));
}

interface Attributes {
  readonly [name: string]: unknown;
}

/** @param ownName what old versions of a provider call it beside `id`, or in its place: `acme_id` */
function idOf(attributes: Attributes, ownName: string): string | null {
  const id = attributes["id"] ?? attributes[ownName];
  return isResourceId(id) && id.length <= longestId ? id : null;
}

/** The address as Terraform writes and reads it, and the words in it that tell resources apart. */
export interface TfAddress {
  /** What inside the resource is meant: `.routes[0]`; empty = all of it. */
  readonly inside: string;
  /** On one line, with nothing in it that a terminal could act upon: `acme_reserved_addr.tcp["eu"]`. */
  readonly text: string;
  /** The names of the modules, with their keys, then the name of the resource, with its key. */
  readonly words: readonly string[];
}

const identifier = /^[\p{ID_Start}_][\p{ID_Continue}-]*$/u;

/** The address of a resource; null when Terraform writes none like it. */
function tfAddress(
  module: string,
  type: string,
  name: string,
  /** The index of `count`, the key of `for_each`, or neither. */
  key: string | number | undefined,
): TfAddress | null {
  const path = moduleWords(module);
  if (path === null || !identifier.test(type) || !identifier.test(name)) return null;
  if (typeof key === "number" && (!Number.isSafeInteger(key) || key < 0)) return null;
  const index = key === undefined ? "" : typeof key === "number" ? `[${key}]` : `[${quoted(key)}]`;
  const text = `${module === "" ? "" : `${module}.`}${type}.${name}${index}`;
  return {
    inside: "",
    text: escapeActive(text, unicodeEscape).replaceAll("\n", "\\n").replaceAll("\t", "\\t"),
    words: [...path, name, ...(key === undefined ? [] : [String(key)])],
  };
}

/** The address of something that an attribute of a resource lists. */
export function addressInside({ inside, text, words }: TfAddress, attribute: string, index: number): TfAddress {
  return {
    inside: `${inside}.${attribute}[${index}]`,
    text,
    words: [...words, attribute.replace(/s$/u, ""), String(index)],
  };
}

/** A text as Terraform's language quotes it. */
function quoted(text: string): string {
  const escaped = text
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t")
    .replaceAll("${", () => "$${")
    .replaceAll("%{", "%%{");
  return `"${escaped}"`;
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
