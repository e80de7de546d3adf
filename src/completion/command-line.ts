/** A flag, as completion needs it. */
export interface DescribedOption {
  /** Like `--output`. */
  readonly long: string;
  /** Like `-o`; null when there is none. */
  readonly short: string | null;
  readonly description: string;
  /** What its value is, like `address`; null when it takes none. */
  readonly value: string | null;
  /** The possible values; empty = anything. */
  readonly choices: readonly string[];
  readonly repeatable: boolean;
}

/** An argument, as completion needs it. */
export interface DescribedArgument {
  readonly name: string;
  readonly choices: readonly string[];
  readonly variadic: boolean;
}

export interface DescribedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly DescribedOption[];
  readonly arguments: readonly DescribedArgument[];
}

/** What stands at the cursor. */
export type AtCursor =
  | { readonly sort: "flag" }
  /** `skip`: how many characters before the value belong to its flag, as in `--only=`. */
  | { readonly sort: "value"; readonly option: DescribedOption; readonly skip: number }
  | { readonly sort: "argument"; readonly argument: DescribedArgument }
  | { readonly sort: "nothing" };

/** A command's words before the cursor, and what stands there. */
export interface ReadCommandLine {
  readonly at: AtCursor;
  /** The values of each flag, by its long name; a flag without a value has an empty one. */
  readonly given: ReadonlyMap<string, readonly string[]>;
  /** The arguments before the cursor. */
  readonly arguments: readonly string[];
}

/**
 * Reads the words after a command's name as the program would: `--only A`, `--only=A`, `-l a=b`, `-ojson`, `-qv`, and
 * only arguments after `--`. Unknown flags are taken for flags without a value.
 * @param words before the cursor
 * @param current the word at the cursor, up to it
 */
export function readCommandLine(words: readonly string[], current: string, command: DescribedCommand): ReadCommandLine {
  const given = new Map<string, string[]>();
  const args: string[] = [];
  let pending: DescribedOption | null = null;
  let onlyArguments = false;
  const take = (option: DescribedOption, value: string): void => {
    given.set(option.long, [...(given.get(option.long) ?? []), value]);
  };
  for (const word of words) {
    if (pending !== null) {
      take(pending, word);
      pending = null;
    } else if (onlyArguments || !word.startsWith("-") || word === "-") args.push(word);
    else if (word === "--") onlyArguments = true;
    else {
      for (const { option, value } of flagsIn(word, command)) {
        if (option.value === null || value !== null) take(option, value ?? "");
        else pending = option;
      }
    }
  }
  const at = (): AtCursor => {
    if (pending !== null) return { sort: "value", option: pending, skip: 0 };
    if (onlyArguments || !current.startsWith("-")) return argumentAt(args.length, command);
    const last = flagsIn(current, command).at(-1);
    if (last !== undefined && last.value !== null) {
      return { sort: "value", option: last.option, skip: current.length - last.value.length };
    }
    return current.includes("=") ? { sort: "nothing" } : { sort: "flag" };
  };
  return { at: at(), given, arguments: args };
}

function argumentAt(index: number, command: DescribedCommand): AtCursor {
  const last = command.arguments.at(-1);
  const argument = command.arguments[index] ?? (last?.variadic === true ? last : undefined);
  if (argument !== undefined) return { sort: "argument", argument };
  // A command without arguments is followed by flags.
  return command.arguments.length === 0 ? { sort: "flag" } : { sort: "nothing" };
}

/** The flags that a word is, and the value that stands in the same word; null = none does. */
function flagsIn(
  word: string,
  { options }: DescribedCommand,
): readonly { readonly option: DescribedOption; readonly value: string | null }[] {
  if (word.startsWith("--")) {
    const equals = word.indexOf("=");
    const option = options.find(({ long }) => long === (equals === -1 ? word : word.slice(0, equals)));
    if (option === undefined || (equals !== -1 && option.value === null)) return [];
    return [{ option, value: equals === -1 ? null : word.slice(equals + 1) }];
  }
  const found: { option: DescribedOption; value: string | null }[] = [];
  for (let at = 1; at < word.length; at++) {
    const option = options.find(({ short }) => short === `-${word.charAt(at)}`);
    if (option === undefined) return found;
    if (option.value !== null) {
      const rest = word.slice(at + 1);
      return [...found, { option, value: rest === "" ? null : rest }];
    }
    found.push({ option, value: null });
  }
  return found;
}
