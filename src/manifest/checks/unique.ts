import type { DocumentPath } from "../../core/document-path.js";
import { type Value, isObject } from "../../core/json.js";
import { placeInDocument } from "../../diagnostics/diagnostic.js";
import { hostportKey, listOf } from "../../kinds/codecs/reference-codecs.js";
import { type KindName, addressOf } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import type { ManifestProblem, ParsedManifest, StackCheck } from "../manifest.js";

interface Claim {
  readonly by: ParsedManifest;
  readonly key: string;
  readonly path: DocumentPath;
  /** Null = nothing is wrong with it beside that one. */
  readonly clash: (first: Claim) => Pick<ManifestProblem, "code" | "message" | "remedy"> | null;
}

function claimOnce(claims: readonly Claim[], report: Parameters<StackCheck>[1]): void {
  const holders = new Map<string, Claim>();
  for (const claim of claims) {
    const first = holders.get(claim.key);
    const problem = first === undefined ? null : claim.clash(first);
    if (first === undefined) holders.set(claim.key, claim);
    else if (problem !== null) {
      const other = placeInDocument(first.by.file, first.by.document, first.path);
      report(claim.by, { ...problem, path: claim.path, other });
    }
  }
}

/** A previous name belongs to one manifest, and is no present name. */
export const uniqueNames: StackCheck = (manifests, report) => {
  const present = manifests.map((by): Claim => {
    const clash = () => ({ code: "duplicate-name", message: `there is another ${by.address}` }) as const;
    return { by, key: by.address, path: ["metadata", "name"], clash };
  });
  const previous = manifests.flatMap((by) =>
    by.previousNames.flatMap((name, index): readonly Claim[] => {
      if (typeof name !== "string") return [];
      const clash: Claim["clash"] = (first) => {
        const isPresent = first.path.at(-1) === "name";
        if (first.by === by && !isPresent) return null;
        const is = isPresent ? "is still the name of a manifest" : `is also claimed by ${first.by.address}`;
        return { code: "previous-name", message: `the previous name ${name} ${is}` };
      };
      return [{ by, key: addressOf(by.kind, name), path: ["metadata", "previousNames", index], clash }];
    }),
  );
  claimOnce([...present, ...previous], report);
};

export const duplicateIds: StackCheck = (manifests, report) => {
  const claims = manifests.flatMap((by): readonly Claim[] => {
    const id = by.id ?? by.adopted;
    if (id === null) return [];
    const clash: Claim["clash"] = (first) =>
      first.by.address === by.address
        ? null
        : { code: "duplicate-id", message: `the id ${id} is already that of ${first.by.address}` };
    // An id comes from the manifest, or from `adopt` by the manifest's name.
    return [{ by, key: id, path: ["metadata", by.id === null ? "name" : "id"], clash }];
  });
  claimOnce(claims, report);
};

/** Only one edge serves a hostport, and lists it once. Hosts are compared without case. */
export const duplicateHostports: StackCheck = (manifests, report) => {
  const claims = manifests.flatMap((by) =>
    listOf(by.spec["hostports"]).flatMap((hostport, index): readonly Claim[] => {
      const served = servedAs(hostport, by.kind);
      if (served === null) return [];
      const clash: Claim["clash"] = (first) => {
        const code = "duplicate-hostport";
        if (first.by !== by) return { code, message: `${served.shown} is already served by ${first.by.address}` };
        return { code, message: `${served.shown} is listed already,`, remedy: "Remove it from the list." };
      };
      return [{ by, key: served.key, path: ["spec", "hostports", index], clash }];
    }),
  );
  claimOnce(claims, report);
};

function servedAs(hostport: Value, kind: KindName): { readonly key: string; readonly shown: string } | null {
  // A wrong one, which may have a password.
  if (typeof hostport === "string" && hostport.includes("@")) return null;
  if (typeof hostport === "string") return { key: `text:${hostportKey(hostport)}`, shown: hostport };
  const address = isObject(hostport) ? hostport["address"] : null;
  if (typeof address !== "string") return null;
  const referred = kinds[kind].fields["hostports"]?.codec.refersTo?.[0];
  return { key: `address:${address}`, shown: `the address of ${referred}/${address}` };
}
