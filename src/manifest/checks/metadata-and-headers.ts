import { placeInDocument } from "../../diagnostics/diagnostic.js";
import { isObject } from "../../core/json.js";
import type { Deletion, Replaced } from "../../kinds/kind.js";
import { plainMetadata, readMarker, writeMarker } from "../../kinds/marker.js";
import { isHeaderName, isHeaderValue } from "../../kinds/codecs/value-codecs.js";
import { kinds } from "../../kinds/registry.js";
import type { ManifestCheck, ParsedManifest } from "../parsed-manifest.js";
import { FirstHolders } from "./names-and-ids.js";

/** As long as the longest id that a service gives, and some more. */
const someId = "x".repeat(48);

/** No text passes for a marker: it would be one, of any stack, as soon as the manifest's own is taken off. */
export const metadataMarker: ManifestCheck = ({ spec }, report) => {
  const { metadata } = spec;
  if (typeof metadata !== "string") return;
  const { malformed, marker } = readMarker(metadata);
  if (marker === null && !malformed) return;
  const message = "spec.metadata has the member edgewise, which is reserved for the ownership marker";
  report({ code: "reserved-member", message, path: ["spec", "metadata"] });
};

/** The metadata, as it is sent, is not larger than the service accepts, now or when the resource is replaced. */
export const metadataSize: ManifestCheck = (manifest, report, { stack }) => {
  const { id, kind, name, spec } = manifest;
  const { defaults, fieldList, fields } = kinds[kind];
  const maxBytes = fields["metadata"]?.maxBytes;
  if (maxBytes === undefined) return;
  const user = spec["metadata"] ?? "";
  if (typeof user !== "string" && !isObject(user)) return;
  const isReplaced = stack !== null && fieldList.some(({ field }) => field.write === "create");
  const marker = {
    stack: stack ?? "",
    name,
    ...beyondDefaults(manifest, defaults),
    ...(isReplaced ? { replaces: someId, ...(id === null ? {} : { adopted: someId }) } : {}),
  };
  const wire = stack === null ? plainMetadata(user) : writeMarker(marker, user);
  const size = Buffer.byteLength(wire, "utf8");
  if (size <= maxBytes) return;
  const own = size - Buffer.byteLength(plainMetadata(user), "utf8");
  const room = isReplaced ? " (with room for the id of a resource that it replaces)" : "";
  const message = `the metadata takes ${size} bytes${own > 0 ? `, ${own} of them for the ownership marker${room}` : ""}; the service accepts ${maxBytes}`;
  const excess = size - maxBytes;
  const remedy = `Shorten spec.metadata by ${excess === 1 ? "a byte" : `${excess} bytes`} or more.`;
  report({ code: "metadata-too-large", message, remedy, path: ["spec", "metadata"], at: "key" });
};

/** The marker holds only what differs from the kind's defaults. */
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

/**
 * Headers are such as HTTP can carry. The service returns their names in lower case: of two that differ only in case, it
 * would silently drop one.
 */
export const headerNames: ManifestCheck = ({ document, file, spec }, report) => {
  const { headers } = spec;
  if (!isObject(headers)) return;
  const holders = new FirstHolders<string>();
  for (const name of Object.keys(headers)) {
    const first = holders.holderOf(name.toLowerCase(), name);
    if (first === null) continue;
    const message = `the header ${JSON.stringify(name)} is the same as ${JSON.stringify(first)}`;
    const other = placeInDocument(file, document, ["spec", "headers", first], "key");
    report({ code: "duplicate-item", message, path: ["spec", "headers", name], at: "key", other });
  }
  for (const [name, value] of Object.entries(headers)) {
    const path = ["spec", "headers", name];
    if (!isHeaderName(name))
      report({
        code: "header-invalid",
        message: `${JSON.stringify(name)} can't be the name of a header`,
        path,
        at: "key",
      });
    if (typeof value === "string" && !isHeaderValue(value))
      report({
        code: "header-invalid",
        message: `the value of ${JSON.stringify(name)} has a line break or a NUL`,
        path,
      });
  }
};
