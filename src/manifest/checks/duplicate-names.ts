import type { ParsedManifest } from "../subject.js";
import type { StackCheck } from "./check.js";

/** No two manifests of one kind have one name. */
export const duplicateNames: StackCheck = (subjects, find) => {
  const first = new Map<string, ParsedManifest>();
  for (const subject of subjects) {
    const known = first.get(subject.address);
    if (known === undefined) first.set(subject.address, subject);
    else {
      const message = `there is another ${subject.address}, in ${known.file}${known.file === subject.file ? " too" : ""}`;
      find(subject)({ code: "duplicate-name", message, path: ["metadata", "name"] });
    }
  }
};
