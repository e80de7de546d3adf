import type { DocumentPath } from "../../core/document-path.js";
import { type Value, isObject } from "../../core/json.js";
import { placeInDocument } from "../../diagnostics/diagnostic.js";
import { hostportKey, listOf } from "../../kinds/codecs.js";
import { type KindName, addressOf } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import type { ManifestProblem, ParsedManifest, StackCheck } from "../manifest.js";

type Claim = Pick<ManifestProblem, "code"> &
  Readonly<{
    by: ParsedManifest;
    key: string;
    path: DocumentPath;
    words: string;
  }>;

export const unique: StackCheck = (manifests, report) => {
  const holders = new Map<string, Claim>();
  const present = manifests.map((by): Claim => {
    return { by, code: "duplicate-name", key: by.address, path: ["metadata", "name"], words: "there is another" };
  });
  for (const claim of [...present, ...manifests.flatMap(claimsOf)]) {
    const { by, code, key, path, words } = claim;
    const first = holders.get(key);
    if (first === undefined) holders.set(key, claim);
    else if (!isReportedElsewhere(first, claim)) {
      const other = placeInDocument(first.by.file, first.by.document, first.path);
      report(by, { code, message: `${words} ${first.by.address}`, path, other });
    }
  }
};

/** By the address, or by the schema. */
function isReportedElsewhere(first: Claim, { by, code }: Claim): boolean {
  if (code === "duplicate-id") return first.by.address === by.address;
  return code === "previous-name" && first.code === code && first.by === by;
}

function claimsOf(by: ParsedManifest): readonly Claim[] {
  const claims: Claim[] = [];
  const id = by.id ?? by.adopted;
  // `adopt` has it by name.
  const idPath = ["metadata", by.id === null ? "name" : "id"];
  if (id !== null)
    claims.push({ by, code: "duplicate-id", key: `id:${id}`, path: idPath, words: `the id ${id} is already that of` });
  for (const [index, name] of by.previousNames.entries()) {
    if (typeof name !== "string") continue;
    const path = ["metadata", "previousNames", index];
    const words = `the previous name ${name} is also that of`;
    claims.push({ by, code: "previous-name", key: addressOf(by.kind, name), path, words });
  }
  for (const [index, hostport] of listOf(by.spec["hostports"]).entries()) {
    const served = servedAs(hostport, by.kind);
    if (served === null) continue;
    const words = `${served.shown} is already served by`;
    claims.push({ by, code: "duplicate-hostport", key: served.key, path: ["spec", "hostports", index], words });
  }
  return claims;
}

function servedAs(hostport: Value, kind: KindName): Readonly<{ key: string; shown: string }> | null {
  // A wrong one, which may have a password.
  if (typeof hostport === "string" && hostport.includes("@")) return null;
  if (typeof hostport === "string") return { key: `text:${hostportKey(hostport)}`, shown: hostport };
  const address = isObject(hostport) ? hostport["address"] : null;
  if (typeof address !== "string") return null;
  const referred = kinds[kind].fields["hostports"]?.codec.refersTo?.[0];
  return { key: `address:${address}`, shown: `the address of ${referred}/${address}` };
}
