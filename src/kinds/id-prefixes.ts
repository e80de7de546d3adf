import type { ReferredKind } from "./kind.js";
import { type ListedKind, listedKinds } from "./names.js";
import { unmanagedKinds } from "./referred-kinds.js";
import { kinds } from "./registry.js";

export function kindOfId(id: string): ListedKind | null {
  return listedKinds.find((kind) => id.startsWith(kinds[kind].idPrefix ?? "\0")) ?? null;
}

/** Why the id can't be that of what a field refers to; null when it can. */
export function wrongKindOfId(id: string, { kind, title, idPrefix }: ReferredKind): string | null {
  if (idPrefix !== null) return id.startsWith(idPrefix) ? null : `the id of ${title} begins with ${idPrefix}`;
  const listed = kindOfId(id);
  if (listed !== null && listed === kind) return null;
  const prefix =
    listed === null
      ? unmanagedKinds.find((each) => id.startsWith(each.idPrefix ?? "\0"))?.idPrefix
      : kinds[listed].idPrefix;
  return prefix == null ? null : `ids that begin with ${prefix} are those of another kind`;
}
