import { certificateAuthority, endpointConfiguration, ipPolicy } from "./codecs/reference-codecs.js";
import type { ReferredKind } from "./kind.js";
import { type ListedKind, listedKinds } from "./names.js";
import { kinds } from "./registry.js";

export function kindOfId(id: string): ListedKind | null {
  return listedKinds.find((kind) => id.startsWith(kinds[kind].idPrefix ?? "\0")) ?? null;
}

/** Why it is none of what a field refers to. */
export function wrongKindOfId(id: string, { kind, title, idPrefix }: ReferredKind): string | null {
  if (idPrefix !== null) return id.startsWith(idPrefix) ? null : `the id of ${title} begins with ${idPrefix}`;
  const listed = kindOfId(id);
  if (listed !== null && listed === kind) return null;
  const prefixes = [ipPolicy, certificateAuthority, endpointConfiguration].map((each) => each.idPrefix ?? "\0");
  const prefix = listed === null ? prefixes.find((each) => id.startsWith(each)) : kinds[listed].idPrefix;
  return prefix === undefined ? null : `ids that begin with ${prefix} are those of another kind`;
}
