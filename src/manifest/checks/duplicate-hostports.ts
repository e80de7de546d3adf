import { isObject } from "../../json.js";
import { listOf } from "../../kinds/codecs/refs.js";
import type { Value } from "../../kinds/value.js";
import type { ParsedManifest } from "../subject.js";
import type { StackCheck } from "./check.js";

/** One edge only serves a hostport, and names it once. Hosts are compared without case. */
export const duplicateHostports: StackCheck = (subjects, find) => {
  const first = new Map<string, ParsedManifest>();
  for (const subject of subjects) {
    for (const [index, hostport] of listOf(subject.spec["hostports"]).entries()) {
      const key = keyOf(hostport);
      if (key === null) continue;
      const known = first.get(key.key);
      if (known === undefined) first.set(key.key, subject);
      else {
        const where = known === subject ? "is listed twice" : `is already served by ${known.address} in ${known.file}`;
        find(subject)({
          code: "duplicate-hostport",
          message: `${key.shown} ${where}`,
          path: ["spec", "hostports", index],
        });
      }
    }
  }
};

function keyOf(hostport: Value): { readonly key: string; readonly shown: string } | null {
  if (typeof hostport === "string") return { key: `text:${hostport.toLowerCase()}`, shown: hostport };
  const address = isObject(hostport) ? hostport["address"] : null;
  return typeof address === "string"
    ? { key: `address:${address}`, shown: `the address of ReservedAddress/${address}` }
    : null;
}
