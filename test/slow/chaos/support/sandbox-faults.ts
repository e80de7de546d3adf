import type { Fault } from "../../../../src/sandbox/fault.ts";
import type { Dice } from "./dice.ts";

const writes = "POST|PATCH|PUT|DELETE";

const specs: readonly string[] = [
  "reset=before",
  `reset=after,method=${writes}`,
  "truncate",
  `html,method=${writes}`,
  "html,status=200,method=GET",
  `html,status=200,when=after,method=${writes}`,
  "status=500",
  "status=503",
  `status=502,when=after,method=${writes}`,
  `status=504,when=after,method=${writes}`,
  "status=408",
  "status=429",
  "status=429,retry-after=1",
  "status=429,retry-after=0",
  "status=400,method=POST|PATCH|PUT",
  "status=404,method=POST|PATCH|PUT",
  `status=403,method=${writes}`,
  `status=409,method=${writes}`,
  "status=403,method=GET",
  "delay=30ms",
  `delay=400ms,method=${writes}`,
  "lag=20ms,method=GET",
  "lag=150ms,method=GET",
  "rate=100/s",
  "rate=30/s,retry-after=1",
];
const paths = ["", "", "", ",path=/edges/tls*", ",path=/backends*", ",path=/*certificates*", ",path=/reserved_addrs*"];

export function someFaults(dice: Dice): readonly string[] {
  const pool = dice.chance(0.1) ? specs.filter((spec) => spec.startsWith("lag")) : specs;
  return Array.from({ length: dice.between(1, 4) }, () => {
    const spec = dice.pick(pool);
    const often = spec.includes("400ms")
      ? "probability=0.1,count=3"
      : `probability=${dice.pick([0.03, 0.1, 0.3, 0.9])}`;
    const healing = spec.includes("400ms") ? "" : dice.pick(["", ",count=1", ",count=3"]);
    const later = dice.chance(0.2) ? `,skip=${dice.between(1, 10)}` : "";
    return `${spec},${often}${healing}${later}${spec.startsWith("rate") ? "" : dice.pick(paths)}`;
  });
}

export function nameOfFault({ end, after, delayMs, lagMs }: Fault): string {
  const when = after ? "after" : "before";
  if (lagMs > 0) return "lagging list";
  if (end === null) return delayMs > 200 ? "carried out late" : "slow";
  if (end.of === "truncate") return "answer cut short";
  if (end.of === "reset") return `reset ${when}`;
  if (end.of === "rate") return "rate limit";
  if (end.html) return "HTML";
  if (end.status === 429) return "429";
  return end.status >= 500 || end.status === 408 ? `5xx or 408 ${when}` : "refused";
}
