import { isObject } from "../../json.js";
import type { Deletion, Replaced } from "../../kinds/kind.js";
import { plainMetadata, writeMarker } from "../../kinds/marker.js";
import { kinds } from "../../kinds/registry.js";
import type { ManifestCheck, ParsedManifest } from "../parsed-manifest.js";

/** The metadata on the wire, marker included, is not larger than the service takes. */
export const metadataSize: ManifestCheck = (subject, find, { stack }) => {
  const { kind, name, spec } = subject;
  const { defaults, fields } = kinds[kind];
  const maxBytes = fields["metadata"]?.maxBytes;
  if (maxBytes === undefined) return;
  const user = spec["metadata"] ?? "";
  if (typeof user !== "string" && !isObject(user)) return;
  const marker = { stack: stack ?? "", name, ...beyondDefaults(subject, defaults) };
  const wire = stack === null ? plainMetadata(user) : writeMarker(marker, user);
  const size = Buffer.byteLength(wire, "utf8");
  if (size <= maxBytes) return;
  const own = size - Buffer.byteLength(plainMetadata(user), "utf8");
  const message = `the metadata takes ${size} bytes${own > 0 ? `, ${own} of them for the ownership marker` : ""}; the service takes ${maxBytes}`;
  find({ code: "metadata-too-large", message, path: ["spec", "metadata"], at: "key" });
};

/** The marker names what differs from the kind's defaults. */
function beyondDefaults(
  { value }: ParsedManifest,
  defaults: { readonly deletion: Deletion; readonly replaced: Replaced },
): { readonly deletion?: Deletion; readonly replaced?: Replaced } {
  const lifecycle = isObject(value["lifecycle"]) ? value["lifecycle"] : {};
  const { deletion, replaced } = lifecycle;
  return {
    ...(isDeletion(deletion) && deletion !== defaults.deletion ? { deletion } : {}),
    ...((replaced === "delete" || replaced === "orphan") && replaced !== defaults.replaced ? { replaced } : {}),
  };
}

function isDeletion(value: unknown): value is Deletion {
  return value === "delete" || value === "protect" || value === "orphan";
}

/** Header names come back in lower case: of two that differ in nothing else, one would be lost without a word. */
export const headerNames: ManifestCheck = ({ spec }, find) => {
  const { headers } = spec;
  if (!isObject(headers)) return;
  const seen = new Map<string, string>();
  for (const name of Object.keys(headers)) {
    const other = seen.get(name.toLowerCase());
    if (other === undefined) {
      seen.set(name.toLowerCase(), name);
      continue;
    }
    const message = `headers names ${JSON.stringify(other)} and ${JSON.stringify(name)}, which are the same header`;
    find({ code: "duplicate-item", message, path: ["spec", "headers", name], at: "key" });
  }
};
