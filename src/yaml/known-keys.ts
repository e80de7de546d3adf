/** A key of a block map that was read before. */
interface KnownKey {
  readonly name: string;
  readonly withColon: string;
  /** The key that was read after this one the last time. */
  next: KnownKey | null;
}

/** Beyond these many keys, or this many characters in one, they are somebody's data. */
const mostKnown = 1000;
const longestKnown = 64;

const known = new Map<string, KnownKey>();
let last: KnownKey | null = null;

/**
 * The key at an offset, when it is the one that followed the last key before: most documents look like the one before them,
 * and comparing is quicker than reading. Null says nothing.
 */
export function expectedKey(text: string, at: number): string | null {
  const key = last?.next ?? null;
  if (key === null || !text.startsWith(key.withColon, at)) return null;
  const end = at + key.withColon.length;
  const next = text.charCodeAt(end);
  if (next !== 32 && next !== 10 && end !== text.length) return null;
  last = key;
  return key.name;
}

/** Remembers a key that was read, to expect it after the one before it. */
export function expectAgain(name: string): void {
  if (name.length > longestKnown) return;
  let key = known.get(name);
  if (key === undefined) {
    if (known.size >= mostKnown) known.clear();
    key = { name, withColon: `${name}:`, next: null };
    known.set(name, key);
  }
  if (last !== null) last.next = key;
  last = key;
}
