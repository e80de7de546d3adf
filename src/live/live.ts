import type { JsonObject, ValueObject } from "../core/json.js";
import type { LockObject } from "../kinds/lock-object.js";
import type { ListedKind } from "../kinds/names.js";
import type { ModulesPlace } from "../kinds/normal-form.js";

/** What the API returned, in the order of the pages, secrets wrapped. */
export type Live = Readonly<{
  lists: { readonly [K in ListedKind]: readonly JsonObject[] };
  /** Neither planned nor pruned: no manifest uses their kind. */
  unreadable: readonly Readonly<{ kind: ListedKind; status: number }>[];
  locks?: readonly LockObject[];
  modules: readonly LiveModules[];
}>;

export interface LiveModules extends ModulesPlace {
  readonly modules: { readonly [module: string]: ValueObject | null };
}
