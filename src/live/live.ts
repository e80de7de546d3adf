import type { JsonObject, ValueObject } from "../core/json.js";
import type { LockObject } from "../kinds/lock-object.js";
import type { ListedKind } from "../kinds/names.js";
import type { ModulesPlace } from "../kinds/named-modules.js";

/** What the API returned, in the order of the pages, secrets wrapped. */
export interface Live {
  readonly lists: { readonly [K in ListedKind]: readonly JsonObject[] };
  /** Collections that the service refused to list while no manifest uses their kind: neither planned nor pruned. */
  readonly unreadable: readonly { readonly kind: ListedKind; readonly status: number }[];
  /** The account's locks, which are in none of the lists: they are nobody's resources. Absent = none. */
  readonly locks?: readonly LockObject[];
  /** Modules of HTTPS edges and routes, one entry for each manifest that names some. */
  readonly modules: readonly LiveModules[];
}

export interface LiveModules extends ModulesPlace {
  /** By module name, as GET returned them, with secrets wrapped. Null when it is not set. */
  readonly modules: { readonly [module: string]: ValueObject | null };
}
