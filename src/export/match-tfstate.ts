import { isObject } from "../core/json.js";
import { cut, slug } from "../core/text.js";
import { type Address, type KindName, kindNames, listedKinds, isResourceId } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import type { ExportDocument } from "./export-document.js";
import { resourceKey } from "./exported-resources.js";

export type MatchedState = Readonly<{
  matched: readonly Readonly<{ kind: KindName; resource: TfResource }>[];
  /** By {@link resourceKey}; what comes twice is named after the first. */
  names: ReadonlyMap<string, string | null>;
  unmanaged: readonly TfResource[];
}>;

/** Providers are known by ids that are live, or look like it: forks need no list. */
export function matchTfState(resources: readonly TfResource[], lists: Live["lists"]): MatchedState {
  const live = new Set(listedKinds.flatMap((kind) => lists[kind].map(({ id }) => resourceKey(kind, String(id)))));
  const isOfKind = ({ id, type }: TfResource): boolean => {
    const kind = kindsByType.get(nameOfType(type));
    if (kind === undefined || id === null) return false;
    return id.startsWith(kinds[kind].idPrefix ?? "") || live.has(resourceKey(kind, id));
  };
  const providers = new Set(resources.filter(isOfKind).map(({ type }) => providerOf(type)));
  const names = new Map<string, string | null>();
  const unmanaged: TfResource[] = [];
  const matched = resources.flatMap((resource): MatchedState["matched"] => {
    const { deposed, id, name, type } = resource;
    const kind = providers.has(providerOf(type)) ? kindsByType.get(nameOfType(type)) : undefined;
    if (kind === undefined) {
      unmanaged.push(resource);
      return [];
    }
    const key = resourceKey(kind, id ?? "");
    if (id !== null && !deposed && !names.has(key)) names.set(key, name);
    return [{ kind, resource }];
  });
  return { matched, names, unmanaged };
}

function providerOf(type: string): string {
  return type.split("_", 1)[0] ?? type;
}

function nameOfType(type: string): string {
  return type.slice(providerOf(type).length + 1);
}

const kindsByType: ReadonlyMap<string, KindName> = new Map(
  kindNames.flatMap((kind) => kinds[kind].terraformTypes.map((type) => [type, kind] as const)),
);

export type StateReport = Readonly<{
  exported: readonly Readonly<{ terraform: string; address: Address; id: string }>[];
  notExported: readonly Readonly<{ terraform: string; id: string | null; reason: string }>[];
  unmanaged: readonly Readonly<{ type: string; terraform: readonly string[] }>[];
}>;

/** @param reasons why resources were not exported, by {@link resourceKey}; also in warnings */
export function reportTfState(
  { matched, unmanaged }: MatchedState,
  documents: readonly ExportDocument[],
  reasons: ReadonlyMap<string, string>,
): Readonly<{ report: StateReport; lines: readonly string[] }> {
  const addresses = new Map(documents.map(({ address, id, kind }) => [resourceKey(kind, id), address]));
  const exported: StateReport["exported"][number][] = [];
  const notExported: StateReport["notExported"][number][] = [];
  const lines: string[] = [];
  for (const { kind, resource } of matched) {
    const { address: terraform, id } = resource;
    const key = resourceKey(kind, id ?? "");
    const isCurrent = id !== null && !resource.deposed;
    const address = isCurrent ? addresses.get(key) : undefined;
    if (address === undefined || id === null) {
      const known = isCurrent ? reasons.get(key) : undefined;
      const reason = known ?? reasonAgainst(resource);
      notExported.push({ terraform, id, reason });
      if (known === undefined) lines.push(`${cut(terraform, 200)} was not exported: ${reason}`);
      continue;
    }
    exported.push({ terraform, address, id });
    if (kinds[kind].collection === null)
      lines.push(
        `${cut(terraform, 200)}: edgewise manages only its modules; write manifests of its routes by hand, nobody manages its other parts once it has left Terraform`,
      );
  }
  const types = [...new Set(unmanaged.map(({ type }) => type))].sort().map((type) => {
    return { type, terraform: unmanaged.flatMap((each) => (each.type === type ? [each.address] : [])) };
  });
  if (types.length > 0) {
    const counted = types.map(({ terraform, type }) => `${type} (${terraform.length})`).join(", ");
    lines.push(`edgewise doesn't manage these types, which stay with Terraform: ${cut(counted, 2000)}`);
  }
  return { report: { exported, notExported, unmanaged: types }, lines };
}

function reasonAgainst({ deposed, id }: TfResource): string {
  if (id === null) return "the state has no id of it";
  return deposed
    ? `it is deposed: Terraform has replaced ${id}, and would delete it with its next apply`
    : `${id} is not live in this account, can't be read, or was not selected: --all also exports what a stack owns`;
}

/** Of the attributes, which hold secrets in clear, only ids are taken over. */
export type TfResource = Readonly<{
  /** `module.net.acme_reserved_addr.tcp["eu"]`. */
  address: string;
  name: string | null;
  type: string;
  id: string | null;
  /** Terraform has replaced it already, and would still delete it. */
  deposed: boolean;
}>;

/** The managed resources of a state; null when it is none of version 4. */
export function readTfState(state: unknown): readonly TfResource[] | null {
  if (!isObject(state) || state["version"] !== 4) return null;
  return objectsIn(state["resources"]).flatMap(({ instances, mode, module = "", name, type }) => {
    if (mode !== "managed" || typeof module !== "string" || typeof name !== "string" || typeof type !== "string")
      return [];
    return objectsIn(instances).map(({ attributes, deposed, index_key: key }) => {
      const own = isObject(attributes) ? attributes : {};
      // Old versions of a provider have it beside `id`, or in its place.
      const id = own["id"] ?? own[`${providerOf(type)}_id`];
      const index = JSON.stringify(key ?? 0)
        .replaceAll("${", () => "$${")
        .replaceAll("%{", "%%{");
      return {
        address: `${module === "" ? "" : `${module}.`}${type}.${name}${key === undefined ? "" : `[${index}]`}`,
        name: slug([module.replaceAll(/(?:^|\.)module\./gu, "-"), name, key].join("-")),
        type,
        id: isResourceId(id) && id.length <= 200 ? id : null,
        deposed: typeof deposed === "string" && deposed !== "",
      };
    });
  });
}

function objectsIn(list: unknown): readonly { readonly [member: string]: unknown }[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
