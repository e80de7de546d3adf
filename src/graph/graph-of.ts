import type { Reference } from "../kinds/kind.js";
import { addressOf, type Address, type KindName } from "../kinds/names.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { Manifest } from "../manifest/manifest.js";

/** A manifest, or something outside that manifests name by its id or that no manifest here has. */
export interface GraphNode {
  readonly id: string;
  /** Null when this tool does not manage what is referred to. */
  readonly kind: KindName | null;
  readonly external: boolean;
}

/** `from` refers to `to` in the field `path`. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly path: string;
}

/** What refers to what (`graph -o json`). Nodes and edges are in a fixed order. */
export interface Graph {
  readonly format: "edgewise.graph/v1";
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** The dependency graph of the manifests. Ids that a manifest claims stand for that manifest. Pure. */
export function graphOf(manifests: readonly Manifest[]): Graph {
  const nodes = new Map<string, GraphNode>();
  const claimed = new Map<string, Address>();
  for (const { address, kind, id } of manifests) {
    nodes.set(address, { id: address, kind, external: false });
    if (id !== null) claimed.set(id, address);
  }
  const edges: GraphEdge[] = [];
  for (const manifest of manifests) {
    const kind = kinds[manifest.kind];
    const spec = specFromManifest(kind, manifest.spec);
    for (const [name, field] of Object.entries(kind.fields)) {
      const value = spec[name];
      if (value === undefined) continue;
      for (const reference of field.codec.references?.(value) ?? []) {
        const node = targetOf(reference, claimed);
        if (node === null) continue;
        if (!nodes.has(node.id)) nodes.set(node.id, node);
        edges.push({ from: manifest.address, to: node.id, path: `spec.${name}` });
      }
    }
  }
  return { format: "edgewise.graph/v1", nodes: [...nodes.values()], edges };
}

function targetOf({ kind, target }: Reference, claimed: ReadonlyMap<string, Address>): GraphNode | null {
  // A hostport in plain text names nothing.
  if ("addr" in target) return null;
  if ("id" in target) return { id: claimed.get(target.id) ?? target.id, kind, external: true };
  return kind === null ? null : { id: addressOf(kind, target.name), kind, external: true };
}
