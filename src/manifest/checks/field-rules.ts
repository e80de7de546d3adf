import { placeInDocument } from "../../diagnostics/diagnostic.js";
import { valueAt } from "../../core/document-path.js";
import { isObject } from "../../core/json.js";
import { plainMetadata, readMarker, writeMarker } from "../../kinds/marker.js";
import { isHeaderName, isHeaderValue } from "../../kinds/codecs/value-codecs.js";
import { kinds } from "../../kinds/registry.js";
import type { ManifestCheck } from "../parsed-manifest.js";

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
export const metadataSize: ManifestCheck = ({ id, kind, name, spec, valid, value }, report, { stack }) => {
  const { defaults, fieldList, fields } = kinds[kind];
  const maxBytes = fields["metadata"]?.maxBytes;
  if (maxBytes === undefined || !valid) return;
  const user = spec["metadata"] ?? "";
  const plain = Buffer.byteLength(plainMetadata(user));
  let own = 0;
  if (stack !== null) {
    const { deletion, replaced } = (value["lifecycle"] ?? {}) as Partial<typeof defaults>;
    const isReplaced = fieldList.some(({ field }) => field.write === "create");
    const marker = {
      stack,
      name,
      ...(!deletion || deletion === defaults.deletion ? {} : { deletion }),
      ...(!replaced || replaced === defaults.replaced ? {} : { replaced }),
      ...(isReplaced ? { replaces: someId, ...(id === null ? {} : { adopted: someId }) } : {}),
    };
    own = Buffer.byteLength(writeMarker(marker, user)) - plain;
  }
  if (plain + own <= maxBytes) return;
  const message = `the metadata takes ${plain + own} bytes${own > 0 ? `, ${own} of them for the ownership marker` : ""}; the service accepts ${maxBytes}`;
  report({ code: "metadata-too-large", message, path: ["spec", "metadata"], at: "key" });
};

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
    const [code, words] =
      field.module.readsTraffic === true
        ? (["upstream-module", "can't be used"] as const)
        : (["upstream-module-doubtful", "may be refused"] as const);
    report({ code, message: `${name} ${words} with terminate_at: upstream`, path, at: "key" });
  }
};

/** Of some lists the service may want at least one item: told here, as nothing else finds out before it is sent. */
export const emptyLists: ManifestCheck = ({ kind, spec }, report) => {
  for (const { field, path } of kinds[kind].specFields) {
    const value = field.wantsOne === true ? valueAt(spec, path) : null;
    if (!Array.isArray(value) || value.length > 0) continue;
    const message = `${path.at(-1)} is empty, which the service may refuse`;
    report({ code: "empty-list", message, path: ["spec", ...path], at: "key" });
  }
};

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
  const secret = valueAt(value, [...path, "secret"]);
  if (upper !== withoutSecret && (secret ?? null) === null) {
    report({
      code: "webhook-secret",
      message: `the provider ${upper} needs a secret; only ${withoutSecret} does not`,
      path: [...path, "secret"],
    });
  }
};
