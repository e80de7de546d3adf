// Prints the program's own estimate: the least time that the writes for this many resources take.
import { estimateSeconds } from "../../dist/apply/estimate.js";

const [count, requestsPerMinute] = process.argv.slice(2).map(Number);
const operations = Array.from({ length: count }, (_, index) => ({ id: `op-${index + 1}`, after: [] }));
const pace = { concurrency: 8, latencyMs: 200 };
console.log(
  JSON.stringify({
    limited: estimateSeconds({ operations }, { ...pace, requestsPerMinute }),
    unlimited: estimateSeconds({ operations }, { ...pace, requestsPerMinute: null }),
  }),
);
