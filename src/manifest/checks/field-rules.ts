import { placeInDocument } from "../../diagnostics/diagnostic.js";
import { isObject } from "../../core/json.js";
import type { Deletion, Replaced } from "../../kinds/kind.js";
import { plainMetadata, readMarker, writeMarker } from "../../kinds/marker.js";
import { isHeaderName, isHeaderValue } from "../../kinds/codecs/value-codecs.js";
import { kinds } from "../../kinds/registry.js";
import type { ManifestCheck, ParsedManifest } from "../parsed-manifest.js";
import { fieldsWhere, specValueAt } from "../spec-fields.js";

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
  const names = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const path = ["spec", "headers", name];
    const first = names.get(name.toLowerCase());
    names.set(name.toLowerCase(), first ?? name);
    if (first !== undefined) {
      const message = `the header ${JSON.stringify(name)} is the same as ${JSON.stringify(first)}`;
      const other = placeInDocument(file, document, ["spec", "headers", first], "key");
      report({ code: "duplicate-item", message, path, at: "key", other });
    }
    const wrong = (message: string, at: "key" | "value"): void => report({ code: "header-invalid", message, path, at });
    if (!isHeaderName(name)) wrong(`${JSON.stringify(name)} can't be the name of a header`, "key");
    if (typeof value === "string" && !isHeaderValue(value))
      wrong(`the value of ${JSON.stringify(name)} has a line break or a NUL`, "value");
  }
};

/** With `terminate_at: upstream` the service accepts no minimum version, and rejects most other modules. */
export const upstream: ManifestCheck = ({ kind, spec }, report) => {
  const termination = spec["tls_termination"];
  if (!isObject(termination) || termination["terminate_at"] !== "upstream") return;
  if ((termination["min_version"] ?? null) !== null) {
    const message = "min_version must be null when terminate_at is upstream: the service does not see the handshake";
    report({ code: "upstream-min-version", message, path: ["spec", "tls_termination", "min_version"] });
  }
  for (const [name, field] of Object.entries(kinds[kind].fields)) {
    if (field.module === undefined || name === "tls_termination" || !isObject(spec[name])) continue;
    const path = ["spec", name];
    if (field.module.readsTraffic === true) {
      const message = `${name} can't be used with terminate_at: upstream, which passes the traffic through encrypted`;
      report({ code: "upstream-module", message, path, at: "key" });
    } else {
      const message = `${name} is used with terminate_at: upstream, for which the service rejects most modules`;
      report({ code: "upstream-module-doubtful", message, path, at: "key" });
    }
  }
};

/** Of some lists the service may want at least one item: told here, as nothing else finds out before it is sent. */
export const emptyLists: ManifestCheck = ({ kind, spec }, report) => {
  for (const { inDocument, path } of neverEmptyOf(kind)) {
    const value = specValueAt(spec, path);
    if (!Array.isArray(value) || value.length > 0) continue;
    const message = `${path.at(-1)} is empty, which the service may refuse`;
    report({ code: "empty-list", message, path: inDocument, at: "key" });
  }
};

const neverEmptyOf = fieldsWhere(({ wantsOne }) => wantsOne === true);

/** The only provider that signs without a shared secret. */
const withoutSecret = "SNS";

/** The service accepts only providers in upper case, and needs a secret for all of them except SNS. */
export const webhooks: ManifestCheck = ({ spec, value }, report) => {
  const module = spec["webhook_verification"];
  if (!isObject(module)) return;
  const { provider } = module;
  if (typeof provider !== "string" || provider === "") return;
  const path = ["spec", "webhook_verification"];
  const upper = provider.toUpperCase();
  if (provider !== upper) {
    const message = `the provider ${JSON.stringify(provider)} is not in upper case`;
    report({ code: "webhook-provider", message, remedy: `Write ${upper}.`, path: [...path, "provider"] });
  }
  // In the document, not in the spec: a secret that was refused is not missing.
  const written = isObject(value["spec"]) ? value["spec"]["webhook_verification"] : null;
  const secret = isObject(written) ? written["secret"] : null;
  if (upper !== withoutSecret && (secret ?? null) === null) {
    report({
      code: "webhook-secret",
      message: `the provider ${upper} needs a secret; only ${withoutSecret} does not`,
      path: [...path, "secret"],
    });
  }
};
