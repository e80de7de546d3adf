import { isObject } from "../core/json.js";
import type { Address } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { ExportDocument } from "./export-document.js";

/** Why a manifest can't be exported as it is. */
export interface Objection {
  readonly address: Address;
  /** The field of the spec that it is about; null = the manifest as a whole. */
  readonly field: string | null;
  /** In words, without a full stop. */
  readonly why: string;
}

/** Fields of a spec that no manifest can say, with the reasons. */
export type UnfitFields = ReadonlyMap<string, string>;

/**
 * The manifest without some fields. Those that inherit keep their live value anyway, others because the manifest ignores
 * them. A comment and a warning say why.
 */
export function withoutFields(document: ExportDocument, unfit: UnfitFields): ExportDocument {
  if (unfit.size === 0) return document;
  const { address, kind, manifest } = document;
  const lifecycle = isObject(manifest["lifecycle"]) ? manifest["lifecycle"] : {};
  const ignore = [...unfit.keys()].filter((field) => kinds[kind].fields[field]?.unset !== "inherit");
  const { spec, ...rest } = manifest;
  const leftOut = [...unfit].map(([field, why]) => {
    const remedy = ignore.includes(field)
      ? "To manage it, write it as validate accepts it and remove it from lifecycle.ignore."
      : "";
    return `${field} of ${address} is not in its manifest, and keeps its live value: ${why}. ${remedy}`.trimEnd();
  });
  const inside = [...unfit.keys()].map((field) => `${field}.`);
  return {
    ...document,
    manifest: {
      ...rest,
      ...(ignore.length === 0 ? {} : { lifecycle: { ...lifecycle, ignore: ignore.map((field) => `spec.${field}`) } }),
      spec: Object.fromEntries(Object.entries(isObject(spec) ? spec : {}).filter(([field]) => !unfit.has(field))),
    },
    secrets: document.secrets.filter(({ field }) => !unfit.has(field.split(".")[0] ?? "")),
    // What was wrong inside a field that is left out concerns nobody.
    warnings: [
      ...document.warnings.filter((warning) => !inside.some((field) => warning.startsWith(field))),
      ...leftOut,
    ],
    leftOut,
  };
}
