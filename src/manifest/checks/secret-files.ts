import { namedFile } from "../content-field.js";
import { secretPath } from "../secret-field.js";
import { specFieldsOf, specValueAt } from "../special-fields.js";
import { isObject } from "../../json.js";
import type { StackCheck } from "./check.js";

/** Others can read a file that holds a secret: said once for each file, however many manifests name it. */
export const secretFiles: StackCheck = (subjects, findFor, { tree }) => {
  const seen = new Set<string>();
  for (const subject of subjects) {
    const spec = subject.value["spec"];
    if (!isObject(spec)) continue;
    for (const { field, path } of specFieldsOf(subject.kind)) {
      const written = field.secret === true ? namedFile(specValueAt(spec, path)) : null;
      if (written === null) continue;
      const file = secretPath(tree, subject.file, written);
      if (seen.has(file)) continue;
      seen.add(file);
      const warning = tree.secretAccess?.(file).warning ?? null;
      if (warning === null) continue;
      findFor(subject)({ code: "secret-file-exposed", message: `"${written}" ${warning}`, path: ["spec", ...path] });
    }
  }
};
