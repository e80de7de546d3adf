import { isObject } from "../../json.js";
import { addressOf } from "../../kinds/names.js";
import type { ParsedManifest } from "../subject.js";
import type { StackCheck } from "./check.js";

/** A previous name belongs to one manifest, and to none as its present name. */
export const previousNames: StackCheck = (subjects, find) => {
  const present = new Map(subjects.map((subject) => [subject.address, subject]));
  const claimed = new Map<string, ParsedManifest>();
  for (const subject of subjects) {
    for (const [index, name] of namesOf(subject).entries()) {
      if (typeof name !== "string") continue;
      const address = addressOf(subject.kind, name);
      const owner = present.get(address);
      const other = claimed.get(address);
      const path = ["metadata", "previousNames", index];
      if (owner !== undefined) {
        const whose = owner === subject ? "the present name of this manifest" : `still in use in ${owner.file}`;
        find(subject)({ code: "previous-name", message: `the previous name ${name} is ${whose}`, path });
      } else if (other !== undefined && other !== subject) {
        const message = `the previous name ${name} is claimed by ${other.address} in ${other.file} too`;
        find(subject)({ code: "previous-name", message, path });
      } else claimed.set(address, subject);
    }
  }
};

function namesOf({ value }: ParsedManifest): readonly unknown[] {
  const metadata = value["metadata"];
  const names = isObject(metadata) ? metadata["previousNames"] : null;
  return Array.isArray(names) ? names : [];
}
