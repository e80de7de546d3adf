import { type StackState, stackStates } from "../records.js";

/** What is asked of a list. */
export interface ListQuery {
  /** Empty = every state. */
  readonly states: ReadonlySet<StackState>;
  /** Null = all. */
  readonly limit: number | null;
  readonly after: string | null;
  /** What names, accounts, sources or commits must hold; null = anything. */
  readonly search: string | null;
}

const mostListed = 100_000;

/**
 * Reads `?state=failed,waiting&limit=100&after=…`. A parameter without a value counts as not given; `state` may be repeated.
 * @param known the parameters that the path takes
 * @returns a sentence that says what is wrong; it quotes nothing of the request
 */
export function readQuery(query: string, known: readonly string[]): ListQuery | string {
  const states = new Set<StackState>();
  const single = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!known.includes(name)) return `Unknown query parameter: ${knownWords(known)}`;
    if (value === "") continue;
    if (name === "state") {
      for (const word of value.split(",")) {
        const state = stackStates.find((each) => each === word);
        if (state === undefined) return `An unknown state: state takes ${stackStates.join(", ")}.`;
        states.add(state);
      }
    } else if (single.has(name)) return "A query parameter is given twice: only state can be repeated.";
    else single.set(name, value);
  }
  const limit = single.get("limit") ?? null;
  if (limit !== null && (!/^[1-9]\d{0,5}$/.test(limit) || Number(limit) > mostListed))
    return `limit takes a whole number from 1 to ${mostListed}.`;
  const [after = null, search = null] = [single.get("after"), single.get("q")];
  return { states, limit: limit === null ? null : Number(limit), after, search };
}

function knownWords(known: readonly string[]): string {
  return known.length === 0 ? "this path takes none." : `this path takes ${known.join(", ")}.`;
}
