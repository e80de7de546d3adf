// What `serve` answers about a whole fleet, over HTTP. The first answer comes before anything is compiled.
import { atMost, mib, ms, thousands } from "./format.mjs";
import { inner } from "./inner.mjs";
import { median } from "./measure.mjs";

export async function serveHttp({ quick, rounds }) {
  const rows = [];
  const asked = quick
    ? [[1000, "/api/stacks"]]
    : [
        [10_000, "/api/stacks"],
        [10_000, "/api/stacks?state=failed&limit=100"],
        [4999, "/metrics"],
        [10_000, "/metrics"],
      ];
  for (const [count, path] of asked) {
    const runs = [];
    for (let round = 0; round < rounds; round++) runs.push(await inner("serve-list", count, path));
    const first = median(runs.map((run) => run.first));
    const own = median(runs.map((run) => run.ms));
    rows.push({
      what: `GET ${path.replace("&", " & ")} of ${thousands(count)} stacks`,
      measured: ms(own),
      against: `the first time ${ms(first)}; ${Math.ceil(runs[0].bytes / 1024)} KiB`,
      goal: path === "/api/stacks" ? atMost(own, 300, "≤ 300 ms") : [],
      peak: mib(median(runs.map((run) => run.mib))),
    });
  }
  return rows;
}
