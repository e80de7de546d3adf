/**
 * Whether a value that the service gave as an id can be one: a text that can stand in a path as one segment
 * (specification, "Conventions": every resource has a string id). Not that it exists.
 */
export function isResourceId(value: unknown): value is string {
  return typeof value === "string" && !/^\.{0,2}$|[\p{Cc}\p{Cs}]/u.test(value);
}
