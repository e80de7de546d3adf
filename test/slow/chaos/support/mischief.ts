import type { Dice } from "./dice.ts";

/** One fault of the simulated service. `after` = the request is carried out anyway. */
export type Trouble =
  | { readonly of: "refused-connection" }
  | { readonly of: "reset"; readonly after: boolean }
  | { readonly of: "truncated" }
  /** Never answered; carried out after the client gave up, or not at all. */
  | { readonly of: "hang"; readonly carriedOutAfterMs: number | null }
  | { readonly of: "slow"; readonly ms: number }
  | { readonly of: "status"; readonly status: number; readonly after: boolean; readonly retryAfter: number | null }
  | { readonly of: "html"; readonly status: number }
  /** Carried out, with an empty or nonsensical success response. */
  | { readonly of: "blank"; readonly body: string }
  /** A list from this many writes ago. */
  | { readonly of: "stale"; readonly writes: number }
  /** What was there so long ago. */
  | { readonly of: "lag"; readonly ms: number };

interface Source {
  readonly name: string;
  readonly methods: readonly string[];
  readonly roll: (dice: Dice) => Trouble;
}

const writes = ["POST", "PATCH", "PUT", "DELETE"];
const all = ["GET", ...writes];
const failures = [500, 502, 503, 504, 408];

const sources: readonly Source[] = [
  { name: "connection refused", methods: all, roll: () => ({ of: "refused-connection" }) },
  { name: "reset before", methods: all, roll: () => ({ of: "reset", after: false }) },
  { name: "reset after", methods: writes, roll: () => ({ of: "reset", after: true }) },
  { name: "answer cut short", methods: all, roll: () => ({ of: "truncated" }) },
  { name: "no answer", methods: all, roll: () => ({ of: "hang", carriedOutAfterMs: null }) },
  {
    name: "carried out late",
    methods: writes,
    roll: (dice) => ({ of: "hang", carriedOutAfterMs: dice.between(1, 90_000) }),
  },
  { name: "slow", methods: all, roll: (dice) => ({ of: "slow", ms: dice.between(100, 9_000) }) },
  {
    name: "5xx or 408 before",
    methods: all,
    roll: (dice) => ({ of: "status", status: dice.pick(failures), after: false, retryAfter: null }),
  },
  {
    name: "5xx or 408 after",
    methods: writes,
    roll: (dice) => ({ of: "status", status: dice.pick(failures), after: true, retryAfter: null }),
  },
  {
    name: "429",
    methods: all,
    roll: (dice) => ({ of: "status", status: 429, after: false, retryAfter: dice.pick([null, 0, 1, 5, 30]) }),
  },
  {
    name: "refused",
    methods: ["POST", "PATCH", "PUT"],
    roll: (dice) => ({ of: "status", status: dice.pick([400, 403, 404, 409, 422]), after: false, retryAfter: null }),
  },
  {
    name: "refused",
    methods: ["DELETE"],
    roll: (dice) => ({ of: "status", status: dice.pick([400, 403, 409]), after: false, retryAfter: null }),
  },
  {
    name: "list or module refused",
    methods: ["GET"],
    roll: (dice) => ({ of: "status", status: dice.pick([400, 401, 403, 404]), after: false, retryAfter: null }),
  },
  {
    name: "HTML",
    methods: ["GET", "POST", "PATCH", "PUT"],
    roll: (dice) => ({ of: "html", status: dice.pick([200, 200, 404, 502, 503]) }),
  },
  // A DELETE that is answered 404 counts as done, whoever says so.
  { name: "HTML", methods: ["DELETE"], roll: (dice) => ({ of: "html", status: dice.pick([200, 502, 503]) }) },
  {
    name: "blank success",
    methods: writes,
    roll: (dice) => ({ of: "blank", body: dice.pick(["", "{}", "[]", "null", "true", '{"id":7}', '{"id":""}', "{"]) }),
  },
  { name: "stale list", methods: ["GET"], roll: (dice) => ({ of: "stale", writes: dice.pick(staleness) }) },
  {
    name: "lagging list",
    methods: ["GET"],
    roll: (dice) => ({ of: "lag", ms: dice.pick([500, 3_000, longestLagMs]) }),
  },
];

/** The longest time that a read may lag behind, in milliseconds: less than apply waits for. */
export const longestLagMs = 20_000;

/** How many writes a stale list may be behind. */
export const staleness = [1, 2, 4] as const;

/** The faults of one run, with their frequencies. */
export interface Mischief {
  /** The names of the faults. */
  readonly kinds: readonly string[];
  strike(method: string, dice: Dice): { readonly name: string; readonly trouble: Trouble } | null;
}

/** No faults. */
export const calm: Mischief = { kinds: [], strike: () => null };

/** One to four faults, from rare to frequent; each may stop after some requests. Sometimes nothing but lists that lag. */
export function someMischief(dice: Dice): Mischief {
  const pool = dice.chance(0.05) ? sources.filter(({ name }) => name === "lagging list") : sources;
  const chosen = Array.from({ length: dice.between(1, 4) }, () => ({
    source: dice.pick(pool),
    probability: dice.pick([0.03, 0.1, 0.1, 0.3, 0.9]),
    left: dice.pick([1, 2, 5, 1000]),
  }));
  return {
    kinds: chosen.map(({ source }) => source.name),
    strike: (method, dice) => {
      for (const one of chosen) {
        const strikes = one.left > 0 && one.source.methods.includes(method) && dice.chance(one.probability);
        if (!strikes) continue;
        one.left -= 1;
        return { name: one.source.name, trouble: one.source.roll(dice) };
      }
      return null;
    },
  };
}
