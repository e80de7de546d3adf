/**
 * The members of a value that a function never reads, such as `/spec/replicsa`. A compiled validator reads each member that
 * its schema describes, and passes over the others: those are the misspelt ones. What is below an unread member is not
 * listed.
 */
export function unreadMembers<T extends object>(value: T, reader: (value: T) => void): readonly string[] {
  const read = new Map<object, Set<string>>();
  reader(watched(value, read));
  return unread(value, "", read);
}

function watched<T extends object>(value: T, read: Map<object, Set<string>>): T {
  const names = read.get(value) ?? new Set<string>();
  read.set(value, names);
  return new Proxy(value, {
    get(target, name, receiver) {
      if (typeof name === "string") names.add(name);
      const member: unknown = Reflect.get(target, name, receiver);
      return typeof member === "object" && member !== null ? watched(member, read) : member;
    },
  });
}

function unread(value: object, path: string, read: ReadonlyMap<object, ReadonlySet<string>>): readonly string[] {
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    const here = `${path}/${name}`;
    if (read.get(value)?.has(name) !== true) return [here];
    return typeof member === "object" && member !== null ? unread(member, here, read) : [];
  });
}
