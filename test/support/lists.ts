import { collectionOf, listedKinds } from "../../src/kinds/names.ts";

export const listPaths: readonly string[] = listedKinds.map((kind) => collectionOf(kind).path).toSorted();

export const emptyLists: { readonly [member: string]: readonly [] } = Object.fromEntries(
  listedKinds.map((kind) => [collectionOf(kind).member, []]),
);
