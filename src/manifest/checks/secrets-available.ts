import { Secret } from "../../secret.js";
import { specFieldsOf, specValueAt } from "../special-fields.js";
import type { ManifestCheck } from "./check.js";

/** Secrets can be read here, when they are looked at at all. */
export const secretsAvailable: ManifestCheck = ({ kind, spec }, find, { deep }) => {
  if (!deep) return;
  for (const { field, path } of specFieldsOf(kind)) {
    if (field.secret !== true) continue;
    const value = specValueAt(spec, path);
    if (!(value instanceof Secret) || value.missing === null) continue;
    find({ code: "secret-unavailable", message: value.missing, path: ["spec", ...path] });
  }
};
