import { type Value, isObject } from "../core/json.js";
import type { Field, Reference } from "../kinds/kind.js";
import { type Address, addressOf } from "../kinds/names.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { Manifest } from "../manifest/manifest.js";
import { shownCommit } from "../plan/plan-format.js";
import {
  type DependencyEdge,
  type DependencyGraph,
  type DependencyNode,
  renderGraph,
} from "../report/dependency-graph.js";
import { loadContext, loadDesired, requireManifests } from "./support/command-context.js";
import type { CommandIo } from "./support/command-io.js";
import { writeResult } from "./support/output.js";
import { type Flags, type DefineCommand } from "./support/command-options.js";

export const define: DefineCommand = (command, run) =>
  command
    .shared(["mermaid", "json"], "config manifests ref service")
    .examples([["edgewise graph --output-file graph.mmd", "as a Mermaid flowchart"]])
    .action(run(graph));

async function graph(commandIo: CommandIo, flags: Flags) {
  const context = await loadContext(flags, commandIo, true);
  const { at, io } = context;
  requireManifests(context, "name the files with -f");
  const manifests = await loadDesired(context);
  await writeResult(renderGraph({ ...manifestGraph(manifests), shown: shownCommit(at ?? {}) }, io.format), io);
  return 0;
}

/** An id that a manifest claims is that manifest. */
function manifestGraph(manifests: readonly Manifest[]): DependencyGraph {
  const nodes = new Map<string, DependencyNode>();
  const claimed = new Map<string, Address>();
  for (const { address, kind, id, source } of manifests) {
    nodes.set(address, { id: address, kind, source: { file: source.file, line: source.line } });
    if (id !== null) claimed.set(id, address);
  }
  const edges: DependencyEdge[] = [];
  for (const manifest of manifests) {
    const kind = kinds[manifest.kind];
    const spec = specFromManifest(kind, manifest.spec);
    for (const [path, field, value] of fieldsOf(kind.fields, spec, "spec")) {
      for (const reference of field.codec.references?.(value) ?? []) {
        const to = targetOf(reference, claimed);
        if (to === null) continue;
        if (!nodes.has(to)) nodes.set(to, { id: to, kind: null, source: null });
        edges.push({ from: manifest.address, to, path });
      }
    }
  }
  return { nodes: [...nodes.values()], edges };
}

function fieldsOf(
  fields: { readonly [name: string]: Field },
  values: { readonly [name: string]: unknown },
  above: string,
): readonly (readonly [path: string, field: Field, value: Value])[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const value = values[name] as Value | undefined;
    if (value === undefined || value === null) return [];
    const path = `${above}.${name}`;
    return field.module !== undefined && isObject(value)
      ? fieldsOf(field.module.members, value, path)
      : [[path, field, value]];
  });
}

function targetOf({ kind, target }: Reference, claimed: ReadonlyMap<string, Address>) {
  if ("addr" in target) return null;
  if ("id" in target) return claimed.get(target.id) ?? target.id;
  if (kind === null) return null;
  return "stack" in target ? `${target.stack}/${addressOf(kind, target.named)}` : addressOf(kind, target.name);
}
