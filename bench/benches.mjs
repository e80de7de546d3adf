import { applyBench, planBench, startBench } from "./commands.mjs";
import { postgresBench, serveBench } from "./serve.mjs";

/** The benches by name. Each returns the rows of its table. */
export const benches = {
  start: startBench,
  plan: planBench,
  apply: applyBench,
  serve: serveBench,
  postgres: postgresBench,
};
