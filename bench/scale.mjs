// The program's own estimate of how long changes take, at the rate limit of live services.
import { thousands } from "./format.mjs";
import { inner } from "./inner.mjs";

export async function scale({ quick }) {
  const rows = [];
  for (const count of quick ? [1000] : [1000, 10_000, 100_000]) {
    const { limited, unlimited } = await inner("estimate", count, 120);
    const duration = (seconds) => {
      if (seconds < 60) return `${Math.round(seconds)} s`;
      return seconds < 3600 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
    };
    rows.push({
      what: `estimate of ${thousands(count)} changes at 120 requests a minute`,
      measured: duration(limited),
      against: `no ceiling, 8 at a time, 200 ms each: ${duration(unlimited)}`,
    });
  }
  return rows;
}
