import type { JsonObject, ValueObject } from "../core/json.js";
import type { LockObject } from "../kinds/lock-object.js";
import type { ListedKind, ModuleKind } from "../kinds/names.js";

/**
 * What the API returned, unchanged except for wrapped secrets. `lists` has the wire objects of each collection in the
 * order of the pages.
 */
export interface Live {
  readonly lists: { readonly [K in ListedKind]: readonly JsonObject[] };
  /** Collections that the service refused to list (403, 404, 400, 410, 501) while no manifest uses their kind: neither planned nor pruned. */
  readonly unreadable: readonly { readonly kind: ListedKind; readonly status: number }[];
  /** The account's locks, which are in none of the lists: they are nobody's resources. Absent = none. */
  readonly locks?: readonly LockObject[];
  /** Modules of HTTPS edges and routes, one entry for each manifest that names some. */
  readonly modules: readonly LiveModules[];
}

/** The modules of one HTTPS edge or route that a manifest names; null = not set. */
export interface LiveModules {
  readonly kind: ModuleKind;
  readonly id: string;
  /** By module name, as GET returned them, with secrets wrapped. Null when the service returned 404, 204, null or `{}`. */
  readonly modules: { readonly [module: string]: ValueObject | null };
}
