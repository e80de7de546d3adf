import type { JsonObject, ValueObject } from "../core/json.js";
import type { LockObject } from "../kinds/lock-object.js";
import type { ListedKind } from "../kinds/names.js";
import type { ModulesPlace } from "../kinds/normal-form.js";

/** What the API returned, in the order of the pages, secrets wrapped. */
export interface Live {
  readonly lists: { readonly [K in ListedKind]: readonly JsonObject[] };
  /** Refused by the service while no manifest uses their kind: neither planned nor pruned. */
  readonly unreadable: readonly { readonly kind: ListedKind; readonly status: number }[];
  /** They are in none of the lists: nobody's resources. */
  readonly locks?: readonly LockObject[];
  readonly modules: readonly LiveModules[];
}

export interface LiveModules extends ModulesPlace {
  /** By module name; null when it is not set. */
  readonly modules: { readonly [module: string]: ValueObject | null };
}
