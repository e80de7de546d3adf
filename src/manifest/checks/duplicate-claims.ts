import type { Spec } from "../../json.js";
import { isHostportClaim } from "../../kinds/codecs/reference-codecs.js";
import { type Kind, claimText } from "../../kinds/kind.js";
import type { KindName } from "../../kinds/names.js";
import { specFromManifest } from "../../kinds/normal-form.js";
import { kinds } from "../../kinds/registry.js";
import type { ParsedManifest, StackCheck } from "../parsed-manifest.js";
import { repeats } from "./names-and-ids.js";

/** Only one resource holds a claim. Hostports have a check of their own, which knows their aliases. */
export const duplicateClaims: StackCheck = duplicateClaimsOf(kinds);

/** As {@link duplicateClaims}, for given declarations. */
export function duplicateClaimsOf(declared: { readonly [K in KindName]: Kind }): StackCheck {
  return (manifests, reportFor) => {
    for (const { item, first } of repeats(claimsIn(manifests, declared), ({ claim }) => claim)) {
      const where =
        first.manifest === item.manifest
          ? "is claimed twice"
          : `is already claimed by ${first.manifest.address} in ${first.manifest.file}`;
      const field = fieldOf(item.claim, item.spec, declared[item.manifest.kind]);
      reportFor(item.manifest)({
        code: "duplicate-claim",
        message: `${claimText(item.claim)} ${where}`,
        path: field === null ? ["spec"] : ["spec", field],
      });
    }
  };
}

interface Claim {
  readonly manifest: ParsedManifest;
  readonly claim: string;
  /** In normal form. */
  readonly spec: Spec;
}

function* claimsIn(
  manifests: readonly ParsedManifest[],
  declared: { readonly [K in KindName]: Kind },
): Generator<Claim> {
  for (const manifest of manifests) {
    const kind = declared[manifest.kind];
    if (kind.claims === undefined || !manifest.valid) continue;
    const spec = specFromManifest(kind, manifest.spec);
    for (const claim of kind.claims(spec)) if (!isHostportClaim(claim)) yield { manifest, claim, spec };
  }
}

/** The field that a claim comes from: without it, the claim is gone. */
function fieldOf(claim: string, spec: Spec, { claims }: Kind): string | null {
  const found = Object.keys(spec).find((name) => claims?.({ ...spec, [name]: null }).includes(claim) === false);
  return found ?? null;
}
