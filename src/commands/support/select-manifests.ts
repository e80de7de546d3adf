import { EdgewiseError } from "../../core/errors.js";
import { didYouMean, suggest } from "../../diagnostics/suggest.js";
import { type Address, addressExample, isAddress, nameOf } from "../../kinds/names.js";
import type { Manifest } from "../../manifest/manifest.js";
import { listFew } from "../../core/text.js";
import type { PlanFlags } from "./command-options.js";

/**
 * The addresses that `--only` and `--label` select, each narrowing the other; null = everything.
 * @param again whether a saved plan is made again: manifests that it selected may be gone
 */
export function selectedAddresses(
  { label = [], only: named }: PlanFlags,
  manifests: readonly Manifest[],
  again: boolean,
): readonly Address[] | null {
  const only = named?.map((each) => addressOfOnly(each, manifests)) ?? null;
  if (label.length === 0) return only;
  const among = only === null ? manifests : manifests.filter(({ address }) => only.includes(address));
  return labelledManifests({ label }, among, again).map(({ address }) => address);
}

export function addressOfOnly(named: string, manifests: readonly Manifest[]): Address {
  if (isAddress(named)) return named;
  const known = manifests.map(({ address }) => address);
  const names = known.map(nameOf);
  const near = names.includes(named) ? named : suggest(named, names);
  const meant = known.filter((address) => nameOf(address) === near);
  throw new EdgewiseError("usage", `${JSON.stringify(named)} is not an address`, {
    remedy:
      meant.length > 0
        ? `Did you mean ${listFew(meant, 3)}?`
        : `An address is Kind/name, like ${known[0] ?? addressExample}.`,
  });
}

export function labelledManifests(
  { label = [] }: Pick<PlanFlags, "label">,
  manifests: readonly Manifest[],
  mayBeNone = false,
): readonly Manifest[] {
  const labelsOf = ({ labels }: Manifest): readonly string[] =>
    Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const labelled = manifests.filter((manifest) => label.every((wanted) => labelsOf(manifest).includes(wanted)));
  if (labelled.length > 0 || mayBeNone || label.length === 0) return labelled;
  const known = [...new Set(manifests.flatMap(labelsOf))].toSorted();
  const near = didYouMean(label[0] ?? "", known);
  throw new EdgewiseError("usage", `no manifest has the label ${label.join(" and ")}`, {
    remedy: near ?? (known.length === 0 ? "None has a label." : `The labels there are ${listFew(known, 6)}.`),
  });
}
