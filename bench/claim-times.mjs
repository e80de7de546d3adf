// Preloaded into `serve --database`: writes how long each claim took, its peak memory (KiB) and the time of its cores (ms)
// as JSON to file descriptor 3 when the process ends.
import { writeSync } from "node:fs";
import pg from "pg";

const claims = [];
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function timedQuery(...args) {
  const [asked] = args;
  const answer = query.apply(this, args);
  if (typeof asked?.text !== "string" || !asked.text.includes("skip locked")) return answer;
  const [at, from] = [Date.now(), performance.now()];
  return answer.finally(() => claims.push({ at, ms: performance.now() - from }));
};

process.on("exit", () => {
  const { maxRSS, systemCPUTime, userCPUTime } = process.resourceUsage();
  writeSync(3, JSON.stringify({ claims, maxRSS, cpuMs: (userCPUTime + systemCPUTime) / 1000 }));
});
