type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Methods that call back for each element that they look at. */
const callingBack =
  "every filter find findIndex findLast flatMap forEach map reduce reduceRight some sort toSorted".split(" ");

/** Methods that read, copy or move elements without a callback; they count as one step for each element. */
const wholesale = "concat includes indexOf join lastIndexOf reverse shift slice splice toReversed unshift".split(" ");

/**
 * Counts the elements of lists, maps and sets that some code visits, however it iterates over them. Unlike
 * a time the count is the same on every machine; a loop inside a loop over the same input shows in it.
 */
export async function countSteps(run: () => unknown): Promise<number> {
  let steps = 0;
  const restore: (() => void)[] = [];
  const patch = (target: object, name: string, wrap: (original: Method) => Method): void => {
    const descriptor = Object.getOwnPropertyDescriptor(target, name);
    if (descriptor === undefined) throw new Error(`there is no ${name}`);
    Object.defineProperty(target, name, { ...descriptor, value: wrap(descriptor.value as Method) });
    restore.push(() => Object.defineProperty(target, name, descriptor));
  };
  for (const name of callingBack) {
    patch(
      Array.prototype,
      name,
      (original) =>
        function (...args) {
          const [callback, ...rest] = args;
          if (typeof callback !== "function") return original.apply(this, args);
          const counted: Method = function (...given) {
            steps += 1;
            return (callback as Method).apply(this, given);
          };
          return original.apply(this, [counted, ...rest]);
        },
    );
  }
  for (const name of wholesale) {
    patch(
      Array.prototype,
      name,
      (original) =>
        function (...args) {
          steps += (this as readonly unknown[]).length;
          return original.apply(this, args);
        },
    );
  }
  for (const iterator of [[].values(), new Map().entries(), new Set().values()]) {
    patch(
      Object.getPrototypeOf(iterator) as object,
      "next",
      (original) =>
        function (...args) {
          steps += 1;
          return original.apply(this, args);
        },
    );
  }
  try {
    await run();
    return steps;
  } finally {
    for (const undo of restore.toReversed()) undo();
  }
}
