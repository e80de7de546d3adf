import { isObject } from "../core/json.js";
import { type Change, type FieldChange, type Operation, type Plan, summaryOf } from "../plan/plan-format.js";

/**
 * A test's plan with neutral values for what people left out. What is there stays, right or wrong: the schema finds it.
 */
export function completePlan(written: unknown): unknown {
  if (!isObject(written)) return written;
  const changes = each(written["changes"], (change) => {
    const completed = complete(neutralChange, change);
    const fields = isObject(completed) ? each(completed["fields"], (field) => complete(neutralField, field)) : [];
    return isObject(completed) ? { ...completed, fields } : completed;
  });
  const actions = Array.isArray(changes) ? changes.map((change) => (isObject(change) ? change["action"] : null)) : [];
  const counts = Object.keys(summaryOf([], 0)).map((name) => [name, actions.filter((one) => one === name).length]);
  return {
    ...neutralPlan,
    ...written,
    ...(changes === undefined ? {} : { changes }),
    summary: complete(Object.fromEntries(counts), written["summary"]),
    operations: each(written["operations"] ?? [], (operation, index) =>
      complete({ id: `op-${index + 1}`, ...neutralOperation }, operation),
    ),
    selection: complete(neutralPlan.selection, written["selection"]),
    relaxations: complete(neutralPlan.relaxations, written["relaxations"]),
  };
}

const neutralPlan: Omit<Plan, "changes" | "operations" | "summary"> = {
  format: "edgewise.plan/v1",
  stack: "test",
  baseUrl: "https://api.example.com",
  toolVersion: "0.0.0",
  hash: `sha256:${"0".repeat(64)}`,
  preconditions: [],
  refusals: [],
  warnings: [],
  rehearsal: null,
  commit: null,
  selection: { only: null, labels: [], files: null, prune: true },
  relaxations: { allow: [], maxDeletes: null, allowEmpty: false, takeOver: false, destroy: false },
  lifted: [],
  unavailableSecrets: [],
};

const neutralField: Omit<FieldChange, "path"> = { before: null, after: null, impact: "none", reason: null };

const neutralChange: Omit<Change, "action" | "address"> = {
  id: null,
  source: null,
  fields: [],
  impact: "none",
  reason: null,
  origin: null,
  notes: [],
};

const neutralOperation = {
  resourceId: null,
  body: null,
  bind: {},
  after: [],
  waits: {},
  why: null,
} as const satisfies Partial<Operation>;

function complete(neutral: object, written: unknown): unknown {
  if (written === undefined) return neutral;
  return isObject(written) ? { ...neutral, ...written } : written;
}

function each(list: unknown, completeItem: (item: unknown, index: number) => unknown): unknown {
  return Array.isArray(list) ? list.map(completeItem) : list;
}
