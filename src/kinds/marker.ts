import { type Value, type ValueObject, isObject, losesNothing, parseJson } from "../core/json.js";
import type { Deletion, Replaced } from "./kind.js";

/** The member `edgewise` of the JSON object in `metadata`. */
export type Marker = Readonly<{
  stack: string;
  name: string;
  /** When not the kind's default: it must outlive the manifest. */
  deletion?: Deletion;
  replaced?: Replaced;
  replaces?: string;
  /** The manifest's id, when that resource was replaced since. */
  adopted?: string;
}>;

export type Metadata = Readonly<{
  marker: Marker | null;
  malformed: boolean;
  user: Value;
}>;

const unmarked = { marker: null, malformed: false };

export function readMarker(metadata: unknown): Metadata {
  if (typeof metadata !== "string" || metadata === "") return { ...unmarked, user: "" };
  const read = /^\s*\{/u.test(metadata) ? parseJson(metadata) : {};
  const parsed = "value" in read ? read.value : null;
  if (!isObject(parsed)) return { ...unmarked, user: metadata };
  // A map can't hold a number of too many digits, or a member that occurs twice.
  if (!Object.hasOwn(parsed, "edgewise"))
    return { ...unmarked, user: losesNothing(metadata) ? (parsed as ValueObject) : metadata };
  const { edgewise, ...rest } = parsed;
  const others: Value = Object.keys(rest).length === 0 ? "" : (rest as ValueObject);
  const marker = markerFrom(edgewise);
  if (marker === null) return { marker: null, malformed: true, user: others };
  const text = isObject(edgewise) ? edgewise["text"] : undefined;
  if (typeof text !== "string" || text === "") return { marker, malformed: false, user: others };
  return { marker, malformed: false, user: others === "" ? text : { ...rest, text } };
}

export function writeMarker(marker: Marker, user: Value): string {
  const { stack, name, deletion, replaced, replaces, adopted } = marker;
  const text = typeof user === "string" && user !== "" ? user : undefined;
  const edgewise = { stack, name, deletion, replaced, replaces, adopted, text };
  const { edgewise: _reserved, ...own } = isObject(user) ? user : {};
  // As text: an object would put members like "1" before the marker.
  const others = JSON.stringify(own).slice(1, -1);
  return `{"edgewise":${JSON.stringify(edgewise)}${others === "" ? "" : `,${others}`}}`;
}

export function plainMetadata(user: Value): string {
  if (typeof user === "string") return user;
  return isObject(user) && Object.keys(user).length > 0 ? JSON.stringify(user) : "";
}

function markerFrom(value: unknown): Marker | null {
  if (!isObject(value)) return null;
  const { stack, name, deletion, replaced, replaces, adopted, text = "" } = value;
  const isFilled = (each: unknown): boolean => typeof each === "string" && each !== "";
  const isMarker =
    [stack, name, ...[replaces, adopted].filter((each) => each !== undefined)].every(isFilled) &&
    [undefined, "delete", "protect", "orphan"].includes(deletion as string | undefined) &&
    [undefined, "delete", "orphan"].includes(replaced as string | undefined) &&
    typeof text === "string";
  if (!isMarker) return null;
  return JSON.parse(JSON.stringify({ stack, name, deletion, replaced, replaces, adopted })) as Marker;
}
