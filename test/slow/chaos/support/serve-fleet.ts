import type { Fleet, FleetEntry, StackPolicy } from "../../../../src/serve/fleet/fleet.ts";
import { windowsOf } from "../../../serve/support/windows-of.ts";
import type { Dice } from "./dice.ts";

const minute = 60_000;
const place = { file: "fleet.yaml", line: 1, column: 1 };

/** Where the stacks of a run are. */
export interface StackPlace {
  readonly name: string;
  readonly marker: string;
  readonly account: string;
  readonly source: string;
  readonly directory: string;
}

/** A few accounts and sources, and one to forty stacks. Some stand in the fleet file one by one, some match a pattern. */
export function somePlaces(dice: Dice): readonly StackPlace[] {
  const accounts = Array.from({ length: dice.between(1, 3) }, (_, at) => `account${at}`);
  const sources = Array.from({ length: dice.between(1, 2) }, (_, at) => `source${at}`);
  // A small fleet meets as much as a large one, at a fraction of the time; only limits in percent need many stacks.
  const most = dice.pick([1, 3, 3, 3, 4, 4, 6, 6, 6, 6, 6, 12, 12, 12, 20, 40]);
  const single = Array.from({ length: dice.between(1, most) }, (_, at) => `s${at}`);
  const many = dice.chance(0.4) ? Array.from({ length: dice.between(1, 5) }, (_, at) => `t${at}`) : [];
  const [account, source] = [dice.pick(accounts), dice.pick(sources)];
  return [
    ...single.map((name) => {
      return { name, marker: name, account: dice.pick(accounts), source: dice.pick(sources), directory: name };
    }),
    ...many.map((name) => ({
      name: `many/${name}`,
      marker: `many-${name}`,
      account,
      source,
      directory: `many/${name}`,
    })),
  ];
}

/** The same places, in one account. */
export function inOneAccount(places: readonly StackPlace[]): readonly StackPlace[] {
  return places.map((place) => ({ ...place, account: "account0" }));
}

/** The operator's file. */
export function someFleet(places: readonly StackPlace[], dice: Dice): Fleet {
  const common = { pin: null, accept: [], pollMs: minute, credentials: null, signedBy: null, hook: null, place };
  const sources = new Set(places.map(({ source }) => source));
  const accounts = new Set(places.map(({ account }) => account));
  const shared = dice.chance(0.5) ? somePolicy(dice) : null;
  const single = places.filter(({ name }) => !name.includes("/"));
  const [first] = places.filter(({ name }) => name.includes("/"));
  const entries = single.map((one) =>
    entryOf(one, { path: `${one.directory}/edgewise.yaml` }, shared ?? somePolicy(dice)),
  );
  const pattern = { pattern: "many/*/edgewise.yaml" };
  if (first !== undefined)
    entries.push(entryOf({ ...first, name: "many", marker: "many-*" }, pattern, shared ?? somePolicy(dice)));
  const limits = { requestsPerMinute: dice.pick([null, null, 600]), moduleEndpoints: [], place };
  return {
    file: "/fleet.yaml",
    pause: false,
    sources: new Map([...sources].map((name) => [name, { name, git: `/git/${name}`, ref: "main", ...common }])),
    accounts: new Map(
      [...accounts].map((name) => {
        const key = { file: `/secrets/${name}` };
        return [name, { name, baseUrl: `http://${name}.example`, versionHeader: "Service-Version", key, ...limits }];
      }),
    ),
    entries,
    forgotten: new Set(),
    http: { host: "127.0.0.1", port: 7070, token: null },
    notify: [],
    historyMs: 90 * 24 * 3_600_000,
  };
}

function entryOf(
  { account, marker, name, source }: StackPlace,
  config: FleetEntry["config"],
  policy: StackPolicy,
): FleetEntry {
  const allow = { previousStacks: [], adopt: [], modulesOf: [], guards: [] };
  return {
    name,
    source,
    config,
    environment: null,
    account,
    stack: marker,
    secrets: null,
    variables: {},
    allow,
    policy,
    place,
  };
}

/** How a stack is kept; mostly so that something may be done. */
export function somePolicy(dice: Dice): StackPolicy {
  const autonomy = () =>
    dice.pick(["security", "security", "routing", "routing", "cosmetic", "none", "never"] as const);
  return {
    intervalMs: dice.pick([2, 5, 10]) * minute,
    apply: { commit: autonomy(), drift: autonomy() },
    windows: dice.chance(0.1) ? windowsOf("mon-sun 13:00-15:00 UTC") : [],
    suspend: dice.chance(0.05) ? { until: null, reason: "audit" } : null,
    approvers: "/approvers",
    brake: {
      stacks: dice.pick([{ percent: 20 }, { percent: 50 }, { count: 3 }]),
      deletesPerDay: dice.pick([1, 3, 10]),
      writers: 3,
      release: [],
    },
    deadlineMs: 15 * minute,
  };
}

/** The same file with another policy for every stack. */
export function withPolicy(fleet: Fleet, change: (policy: StackPolicy) => StackPolicy): Fleet {
  return { ...fleet, entries: fleet.entries.map((entry) => ({ ...entry, policy: change(entry.policy) })) };
}
