import { fingerprint } from "../../plan/canonical-json.js";

/** The id of one occurrence: the same for the same occurrence, another one for each other. */
export function brakeId(cause: string, occurrence: { readonly [member: string]: unknown }): string {
  return `${cause}-${fingerprint({ cause, ...occurrence }).slice("sha256:".length, "sha256:".length + 12)}`;
}

/** `10m, or until you write `brake: {release: [ID]}` in the fleet file`. The line is exact. */
export function releaseWords(id: string, quietMs: number): string {
  return `${durationWords(quietMs)}, or until you write \`brake: {release: [${id}]}\` below \`defaults:\` in the fleet file`;
}

export function pausedWords(account: string): string {
  return `All automatic writes of account ${account} are paused, those of commits too`;
}

export function durationWords(ms: number): string {
  const units = [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["m", 60_000],
    ["s", 1000],
  ] as const;
  const [unit, size] = units.find(([, each]) => ms >= each && ms % each === 0) ?? ["ms", 1];
  return `${Math.round(ms / size)}${unit}`;
}
