// The benches by name. Each returns rows: what, measured, compared with, ratio, goals, peak memory.
import { applyCommand } from "./apply-command.mjs";
import { files, loading } from "./loading.mjs";
import { planCommand } from "./plan-command.mjs";
import { planner } from "./planner.mjs";
import { serve, serveLoop, store } from "./serve.mjs";
import { serveHttp } from "./serve-http.mjs";
import { sharedFleet } from "./shared-fleet.mjs";
import { size } from "./size.mjs";
import { stacks } from "./stacks.mjs";
import { startup } from "./startup.mjs";

export const benches = {
  startup: { run: startup, takes: "10 s", about: "Node's start, `--version`, `validate` of five manifests" },
  loading: { run: loading, takes: "2 min", about: "loading manifests, beside the YAML library" },
  files: { run: files, takes: "1 min", about: "`validate` of one manifest for each file, `export --split resource`" },
  planner: { run: planner, takes: "2 min", about: "the planner alone: of a process that plans once, and warm" },
  plan: { run: planCommand, takes: "3 min", about: "`plan` without changes, beside a bare reader" },
  apply: { run: applyCommand, takes: "1 min", about: "`apply` of 1,000 creates, beside a bare writer" },
  size: { run: size, takes: "5 min", about: "memory and reports of 10,000 changes, and large policies" },
  stacks: { run: stacks, takes: "30 s", about: "1,000 stacks through the library, and `drift --all`" },
  store: { run: store, takes: "1 min", about: "the state directory of `serve`" },
  serve: { run: serve, takes: "3 min", about: "`serve --once` over stacks of which nothing differs" },
  "serve-loop": { run: serveLoop, takes: "3 min", about: "the loop of `serve`" },
  "serve-http": { run: serveHttp, takes: "20 s", about: "what `serve` answers over HTTP" },
  fleet: { run: sharedFleet, takes: "1 h", about: "fleets on PostgreSQL", byDefault: false },
};
