/** Items by key, keys in the order given, items in their own; keys without items are left out. */
export function groupBy<T, K extends string>(
  items: readonly T[],
  keys: readonly K[],
  keyOf: (item: T) => K,
): readonly { readonly key: K; readonly items: readonly T[] }[] {
  const byKey = new Map<K, T[]>(keys.map((key) => [key, []]));
  for (const item of items) byKey.get(keyOf(item))?.push(item);
  return [...byKey].filter(([, members]) => members.length > 0).map(([key, members]) => ({ key, items: members }));
}
