import { expect, it } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";
import { waits } from "../../src/config/api-config.ts";
import { parseDuration } from "../../src/core/duration.ts";
import { defaultMaxDeletes, deleteBound } from "../../src/plan/guards.ts";
import schema from "../../schemas/config.schema.json" with { type: "json" };

it("what the schema says of a setting that is left out is what holds", async () => {
  const { api, lock } = await loadConfig({ cwd: "/", env: {}, flags: {}, committed: null });
  const said = schema.$defs.api.properties;
  expect(api.versionHeader).toBe(said.versionHeader.default);
  expect([api.timeoutMs, api.deadlineMs, api.settleMs, lock.settleMs]).toEqual(
    [said.timeout, said.deadline, said.settle, schema.$defs.lock.properties.settle].map((node) =>
      parseDuration(node.default, waits),
    ),
  );
  const { count, percent } = defaultMaxDeletes;
  expect(schema.$defs.guards.properties.maxDeletes.description).toContain(`the larger of ${count} and ${percent}%`);
  expect([10, 100].map((owned) => deleteBound(null, owned))).toEqual([3, 25]);
});
