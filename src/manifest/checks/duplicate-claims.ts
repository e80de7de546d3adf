import type { Spec } from "../../core/json.js";
import { hostportClaims, isHostportClaim } from "../../kinds/codecs/reference-codecs.js";
import { type Kind, claimText } from "../../kinds/kind.js";
import type { KindName } from "../../kinds/names.js";
import { specFromManifest } from "../../kinds/normal-form.js";
import { kinds } from "../../kinds/registry.js";
import type { ParsedManifest, StackCheck } from "../parsed-manifest.js";
import { FirstHolders, placeIn } from "./names-and-ids.js";

/** Only one resource holds a claim. Hostports have a check of their own, which knows their aliases. */
export const duplicateClaims: StackCheck = duplicateClaimsOf(kinds);

/** As {@link duplicateClaims}, for given declarations. */
export function duplicateClaimsOf(declared: { readonly [K in KindName]: Kind }): StackCheck {
  return (_manifests, reportFor) => {
    const holders = new FirstHolders<ParsedManifest>();
    return (manifest) => {
      const kind = declared[manifest.kind];
      if (kind.claims === undefined || kind.claims === hostportClaims || !manifest.valid) return;
      const spec = specFromManifest(kind, manifest.spec);
      for (const claim of kind.claims(spec)) {
        const first = isHostportClaim(claim) ? null : holders.holderOf(claim, manifest);
        if (first === null) continue;
        const where = first === manifest ? "is claimed twice" : `is already claimed by ${first.address}`;
        const field = fieldOf(claim, spec, kind);
        const path = field === null ? ["spec"] : ["spec", field];
        reportFor(manifest)({
          code: "duplicate-claim",
          message: `${claimText(claim)} ${where}`,
          path,
          ...(first === manifest ? {} : { other: placeIn(first, path) }),
        });
      }
    };
  };
}

/** The field that a claim comes from: without it, the claim is gone. */
function fieldOf(claim: string, spec: Spec, { claims }: Kind): string | null {
  const found = Object.keys(spec).find((name) => claims?.({ ...spec, [name]: null }).includes(claim) === false);
  return found ?? null;
}
