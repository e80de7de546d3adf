import { followSource } from "./follow-source.js";
import { saveUnsaved } from "./keep-records.js";
import { type DueAccount, type ServeState, canLook } from "./serve-state.js";
import { deniedMs, passAccounts } from "./pass-due.js";
import type { ServeDeps, StopSignals } from "./serve-deps.js";

const mostAtOnce = 8;

export async function serveOnce(state: ServeState, signals: StopSignals, deps: ServeDeps): Promise<void> {
  const { stop } = signals;
  await sideBySide([...state.fleet.sources.values()], stop, (source) => followSource(state, source, deps, stop));
  await sideBySide(allAccounts(state), stop, async (due) => {
    const rest = (await passInTurn(state, due, signals, deps)) - deps.clock.now();
    if (deps.dryRun || rest <= 0 || !due.targets.some(({ name }) => isPending(state, name))) return;
    await deps.clock.sleep(rest, stop);
    await passInTurn(state, due, signals, deps);
  });
  await saveUnsaved(state, deps);
}

async function passInTurn(state: ServeState, due: DueAccount, signals: StopSignals, deps: ServeDeps): Promise<number> {
  const { name } = due.account;
  while (!signals.stop.aborted) {
    const passed = await passAccounts(state, [due], { ...signals, all: true, onEnd: () => undefined }, deps);
    const quietUntil = passed.get(name);
    if (quietUntil !== undefined) return quietUntil;
    await deps.clock.sleep(deniedMs, signals.stop);
  }
  return 0;
}

function isPending({ stacks }: ServeState, name: string): boolean {
  return stacks.get(name)?.status.state === "pending";
}

export type OnceExit = 0 | 1 | 2 | 3 | 4;

/**
 * 3 = something failed, or nobody knows how it is, which a dry run, that changes nothing, tells by 1; else 4 = a guard
 * refused something; else 2 = something differs and waits, or would be applied; else 0 = everything is in sync.
 */
export function onceExit({ fleet, sources, stacks, targets }: ServeState, dryRun: boolean): OnceExit {
  const known = [...new Set([...targets.keys(), ...stacks.keys()])];
  const states = new Set(known.map((name) => stacks.get(name)?.status.state ?? "unknown"));
  const unfollowed = [...fleet.sources.keys()].flatMap((name) => {
    const followed = sources.get(name);
    return followed?.record?.problem?.code ?? (followed?.expansion == null ? "unread" : []);
  });
  if (states.has("failed") || states.has("unknown") || unfollowed.some((code) => code !== "rewound"))
    return dryRun ? 1 : 3;
  if (states.has("refused")) return 4;
  return unfollowed.length > 0 || [...states].some((state) => state !== "synced") ? 2 : 0;
}

function allAccounts(state: ServeState): readonly DueAccount[] {
  return [...state.fleet.accounts.values()].flatMap((account) => {
    const possible = (state.byAccount.get(account.name) ?? []).filter((target) => canLook(state, target));
    return possible.length === 0 ? [] : [{ account, targets: possible }];
  });
}

async function sideBySide<T>(all: readonly T[], stop: AbortSignal, work: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...all];
  const next = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined && !stop.aborted; one = waiting.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: Math.min(mostAtOnce, all.length) }, next));
}
