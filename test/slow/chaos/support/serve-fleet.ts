import type { FleetDocument } from "../../../../src/generated/fleet-types.ts";
import type { Dice } from "./dice.ts";

export type WrittenPolicy = NonNullable<FleetDocument["defaults"]>;

export interface StackPlace {
  readonly name: string;
  readonly marker: string;
  readonly account: string;
  readonly source: string;
  readonly directory: string;
}

export function somePlaces(dice: Dice): readonly StackPlace[] {
  const accounts = Array.from({ length: dice.between(1, 3) }, (_, at) => `account${at}`);
  const sources = Array.from({ length: dice.between(1, 2) }, (_, at) => `source${at}`);
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

export function inOneAccount(places: readonly StackPlace[]): readonly StackPlace[] {
  return places.map((place) => ({ ...place, account: "account0" }));
}

export function someFleet(places: readonly StackPlace[], dice: Dice): FleetDocument {
  const shared = dice.chance(0.5) ? somePolicy(dice) : null;
  const requestsPerMinute = dice.pick([null, null, 600]);
  const isMany = ({ name }: StackPlace): boolean => name.includes("/");
  const [first] = places.filter(isMany);
  const many = { name: "many", marker: "many-*", directory: "many/*" };
  const entries = [...places.filter((one) => !isMany(one)), ...(first === undefined ? [] : [{ ...first, ...many }])];
  return {
    apiVersion: "edgewise/v1",
    kind: "Fleet",
    sources: Object.fromEntries(
      places.map(({ source }) => [source, { git: `https://git.example.com/${source}.git`, poll: "1m" }]),
    ),
    accounts: Object.fromEntries(
      places.map(({ account }) => [
        account,
        { baseUrl: `https://${account}.example`, key: { file: "key" }, requestsPerMinute },
      ]),
    ),
    stacks: Object.fromEntries(
      entries.map(({ account, directory, marker, name, source }) => {
        const path = `${directory}/edgewise.yaml`;
        const config = path.includes("*") ? { configs: path } : { config: path };
        return [name, { source, account, ...config, stack: marker, ...(shared ?? somePolicy(dice)) }];
      }),
    ),
  };
}

export function somePolicy(dice: Dice): WrittenPolicy {
  const autonomy = () =>
    dice.pick(["security", "security", "routing", "routing", "cosmetic", "none", "never"] as const);
  return {
    interval: dice.pick(["2m", "5m", "10m"]),
    apply: { commit: autonomy(), drift: autonomy() },
    windows: dice.chance(0.1) ? ["mon-sun 13:00-15:00 UTC"] : [],
    suspend: dice.chance(0.05) ? { reason: "audit" } : null,
    approvers: "approvers",
    brake: {
      stacks: dice.pick(["20%", "50%", 3]),
      deletesPerDay: dice.pick([1, 3, 10]),
      writers: 3,
      release: [],
    },
  };
}

export function withPolicy(file: FleetDocument, change: (policy: WrittenPolicy) => WrittenPolicy): FleetDocument {
  const entries = Object.entries(file.stacks).flatMap(([name, entry]) =>
    entry === undefined ? [] : [[name, { ...entry, ...change(entry) }] as const],
  );
  return { ...file, stacks: Object.fromEntries(entries) };
}
