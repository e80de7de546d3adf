import { isObject } from "../json.js";
import type { ListedKind } from "../kinds/names.js";
import type { ExportedResource } from "./select.js";
import { isName, slug, withSuffix } from "./slug.js";

/** Names of what is exported: by kind and id, and reserved addresses by the addr that hostports name them by. */
export interface ExportNames {
  readonly byId: { readonly [K in ListedKind]: ReadonlyMap<string, string> };
  readonly byAddr: ReadonlyMap<string, string>;
}

/**
 * Names everything that is exported, uniquely within its kind. What this stack owns keeps its name; anything else is
 * named for what people call it. Of several with one name the first (oldest) has it, the others get a piece of their id.
 */
export function assignNames(selections: readonly ExportedResource[]): ExportNames {
  const byId = {
    IPRestriction: new Map<string, string>(),
    TLSEdge: new Map<string, string>(),
    ReservedAddress: new Map<string, string>(),
    HTTPResponseBackend: new Map<string, string>(),
    TLSCertificate: new Map<string, string>(),
  };
  const byAddr = new Map<string, string>();
  const taken = new Set<string>();
  const owned = selections.filter((selection) => selection.own !== null);
  const rest = selections.filter((selection) => selection.own === null);
  for (const selection of [...owned, ...rest]) {
    const { kind, id, wire, own } = selection;
    const wanted = own !== null && isName(own.name) ? own.name : nameFor(selection);
    const name = uniqueName(wanted, id, (candidate) => taken.has(`${kind}/${candidate}`));
    taken.add(`${kind}/${name}`);
    byId[kind].set(id, name);
    if (typeof wire["addr"] === "string") byAddr.set(wire["addr"].toLowerCase(), name);
  }
  return { byId, byAddr };
}

/** The first of what people may call it that makes a name; at last its id. */
function nameFor({ kind, id, wire }: ExportedResource): string {
  const hostports = Array.isArray(wire["hostports"]) ? (wire["hostports"] as readonly unknown[]) : [];
  const alternatives = isObject(wire["subject_alternative_names"])
    ? wire["subject_alternative_names"]["dns_names"]
    : [];
  const domains: readonly unknown[] = Array.isArray(alternatives) ? alternatives : [];
  const candidates = [
    wire["description"],
    withoutPort(hostports[0]),
    wire["subject_common_name"],
    domains[0],
    withoutPort(wire["addr"]),
    wire["type"],
    typeof wire["status_code"] === "number" ? `status-${wire["status_code"]}` : null,
    id,
  ];
  for (const candidate of candidates) {
    const name = typeof candidate === "string" ? slug(candidate) : null;
    if (name !== null) return name;
  }
  return kind.toLowerCase();
}

function withoutPort(hostport: unknown): string | null {
  return typeof hostport === "string" ? hostport.replace(/:443$/u, "") : null;
}

function uniqueName(wanted: string, id: string, taken: (name: string) => boolean): string {
  if (!taken(wanted)) return wanted;
  const tail = slug(id.slice(-6)) ?? "x";
  let name = withSuffix(wanted, tail);
  for (let count = 2; taken(name); count++) name = withSuffix(wanted, `${tail}-${count}`);
  return name;
}
