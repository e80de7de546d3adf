import { collectionOf, listedKinds } from "../../src/kinds/names.ts";

/** The endpoint of every list, in the order of the alphabet. */
export const listPaths: readonly string[] = listedKinds.map((kind) => collectionOf(kind).path).toSorted();

/** An answer that is an empty list, whichever list was asked for. */
export const emptyLists: { readonly [member: string]: readonly [] } = Object.fromEntries(
  listedKinds.map((kind) => [collectionOf(kind).member, []]),
);
