import type { Json, JsonObject } from "../json.js";
import type { ListedKind } from "../kinds/names.js";
import type { ModelContext } from "./context.js";
import type { IndexKey } from "./world.js";

/** The rules of one kind: how bodies become resources. All of them reject what is not acceptable. */
export interface ResourceModel {
  readonly kind: ListedKind;
  /** In words: `TLS edge`. */
  readonly title: string;
  /** Path of the collection and the member of its list (specification, "Endpoints", List). */
  readonly path: string;
  readonly member: string;
  readonly prefix: string;
  /** The resource without `id`, `uri` and `created_at`. */
  readonly create: (body: Json | undefined, context: ModelContext) => JsonObject;
  /** The members that change. */
  readonly update: (body: Json | undefined, before: JsonObject, context: ModelContext) => JsonObject;
  /** Asked before a DELETE. */
  readonly mayRemove?: (before: JsonObject, context: ModelContext) => void;
  /** How it looks in a list when that differs from GET. */
  readonly listed?: (resource: JsonObject) => JsonObject;
  /** The keys under which it is found; must cope with resources that some other service made. */
  readonly keys: (resource: JsonObject) => readonly IndexKey[];
}
