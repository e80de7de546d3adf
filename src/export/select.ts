import type { JsonObject } from "../json.js";
import { readMarker, type Marker } from "../kinds/marker.js";
import type { ListedKind } from "../kinds/names.js";

/** One live resource that is exported. */
export interface ExportedResource {
  readonly kind: ListedKind;
  readonly id: string;
  readonly wire: JsonObject;
  /** Its marker when it is this stack's. */
  readonly own: Marker | null;
  /** The stack that owns it when it is somebody else's. */
  readonly otherStack: string | null;
}

/**
 * The resources of one kind that are asked for, oldest first, so that names stay when newer ones come.
 * @param wires as listed, which is newest first: that decides where times are the same
 */
export function selectResources(
  kind: ListedKind,
  wires: readonly JsonObject[],
  options: { readonly which: "unowned" | "owned" | "all"; readonly stacks: readonly string[] },
): ExportedResource[] {
  const found: (ExportedResource & { readonly made: string })[] = [];
  for (const wire of wires.toReversed()) {
    const { id, created_at: created } = wire;
    if (typeof id !== "string") continue;
    const { marker } = readMarker(wire["metadata"]);
    const own = marker !== null && options.stacks.includes(marker.stack) ? marker : null;
    if (options.which === "unowned" && marker !== null) continue;
    if (options.which === "owned" && own === null) continue;
    const otherStack = marker === null || own !== null ? null : marker.stack;
    found.push({ kind, id, wire, own, otherStack, made: typeof created === "string" ? created : "" });
  }
  return found.sort((a, b) => compare(a.made, b.made)).map(({ made: _made, ...rest }) => rest);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
