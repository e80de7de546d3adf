import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "../../repository/source-files.ts";
import { parser } from "@prometheus-io/lezer-promql";
import { impacts } from "../../../src/kinds/impact.ts";
import { createMetrics } from "../../../src/serve/http/serve-metrics.ts";
import { newAccountRecord, stackStates, waitReasons } from "../../../src/serve/records.ts";
import { troubleKinds } from "../../../src/serve/serve-events.ts";
import { commit, fakeFleet, stackOf, viewOf } from "../../serve/http/fake-view.ts";
import { readMetrics } from "../../serve/http/read-metrics.ts";

async function servedLabels(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const metrics = createMetrics({ version: "1.2.3", commit });
  const fleet = fakeFleet([stackOf("a", { state: "waiting", reason: "approval" })]);
  const { sources, accounts } = fleet;
  sources.push({ name: "edge", fetchedAt: 0, followed: commit, tip: commit, problem: null });
  accounts.push(newAccountRecord("main"));
  metrics.onEvent({ event: "stack-looked", stack: "a", commit, state: "synced", reason: null, ms: 1 });
  metrics.onEvent({ event: "request", account: "main", status: 200 });
  metrics.onEvent({ event: "rate-limited", account: "main", pauseMs: 1 });
  const served = new Map<string, Set<string>>();
  for (const { samples } of readMetrics((await metrics.render(viewOf(fleet), Date.now())).text).values()) {
    for (const { name, labels } of samples) {
      const known = served.get(name) ?? new Set();
      for (const label of Object.keys(labels)) known.add(label);
      served.set(name, known);
    }
  }
  return served;
}

const closedLabels: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["state", stackStates],
  ["outcome", stackStates],
  ["reason", waitReasons],
  ["impact", impacts],
  ["kind", troubleKinds],
]);

interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly equals: boolean; readonly value: string }[];
}

interface ReadExpression {
  readonly selectors: readonly Selector[];
  readonly grouped: readonly string[];
}

function readExpression(expression: string): ReadExpression {
  const selectors: { metric: string; matchers: { label: string; equals: boolean; value: string }[] }[] = [];
  const grouped: string[] = [];
  let isMatcher = false;
  parser.parse(expression).iterate({
    enter({ type, from, to }) {
      const text = expression.slice(from, to);
      const selector = selectors.at(-1);
      const matcher = selector?.matchers.at(-1);
      if (type.isError) throw new Error(`no PromQL at character ${from + 1}: ${expression}`);
      if (type.name === "VectorSelector") selectors.push({ metric: "", matchers: [] });
      if (type.name === "Identifier" && selector !== undefined) selector.metric = text;
      if (type.name === "LabelMatchers") isMatcher = true;
      if (type.name === "LabelName" && !isMatcher) grouped.push(text);
      if (type.name === "LabelName" && isMatcher) selector?.matchers.push({ label: text, equals: false, value: "" });
      if (type.name === "EqlSingle" && matcher !== undefined) matcher.equals = true;
      if (type.name === "StringLiteral" && matcher !== undefined) matcher.value = text.slice(1, -1);
    },
    leave({ type }) {
      if (type.name === "LabelMatchers") isMatcher = false;
    },
  });
  return { selectors, grouped };
}

const read = (name: string): string => readFileSync(join(root, "examples/serve", name), "utf8");

const scraped = ["instance", "job"];

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly [name: string]: string };
}
const { groups }: { groups: readonly { rules: readonly Rule[] }[] } = parse(read("alerts.yaml"));
const rules = groups.flatMap((group) => group.rules);

async function strangersIn(expression: string): Promise<readonly string[]> {
  const served = await servedLabels();
  const { selectors, grouped } = readExpression(expression);
  expect(selectors.length, expression).toBeGreaterThan(0);
  const all = new Set([...scraped, ...selectors.flatMap(({ metric }) => [...(served.get(metric) ?? [])])]);
  return [
    ...selectors.filter(({ metric }) => !served.has(metric)).map(({ metric }) => metric),
    ...grouped.filter((label) => !all.has(label)),
    ...selectors.flatMap(({ metric, matchers }) =>
      matchers.flatMap(({ label, equals, value }) => {
        if (!scraped.includes(label) && served.get(metric)?.has(label) !== true) return [`${metric}{${label}}`];
        const values = closedLabels.get(label);
        const wanted = equals ? [value] : value.split("|");
        return (values === undefined ? [] : wanted).filter((each) => values?.includes(each) !== true);
      }),
    ),
  ];
}

describe("the reader of expressions", () => {
  it("refuses what Prometheus refuses", () => {
    expect(() => readExpression('a{b="} > 1')).toThrow("no PromQL");
  });

  it("lets a metric, a label or a value that is not served be found", async () => {
    const wrong = 'sum by (stak) (edgewise_stack_state{state="broken", who="x"}) > edgewise_gone';
    expect(await strangersIn(wrong)).toEqual(["edgewise_gone", "stak", "broken", "edgewise_stack_state{who}"]);
  });
});

describe("examples/serve/alerts.yaml", () => {
  it.each(rules)("$alert asks for what is served, in Prometheus' grammar", async ({ expr }) => {
    expect(await strangersIn(expr)).toEqual([]);
  });
});

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}
interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}
const dashboard: Dashboard = JSON.parse(read("dashboard.json"));
const { panels, templating } = dashboard;

const sent = (expr: string): string => expr.replaceAll("$__rate_interval", "1m").replaceAll("$instance", ".*");

describe("examples/serve/dashboard.json", () => {
  it.each(panels)("shows in '$title' what is served", async ({ targets }) => {
    const served = await servedLabels();
    for (const { expr, legendFormat } of targets) {
      expect(sent(expr)).not.toContain("$");
      expect(await strangersIn(sent(expr))).toEqual([]);
      const { selectors } = readExpression(sent(expr));
      const own = selectors.flatMap(({ metric }) => [...(served.get(metric) ?? []), ...scraped]);
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
      expect(named.filter((label) => !own.includes(label))).toEqual([]);
    }
  });

  it("shows every metric but the build's, which names the instances", async () => {
    const base = (metric: string): string => metric.replace(/_(bucket|sum|count)$/, "");
    const shown = panels.flatMap(({ targets }) =>
      targets.flatMap(({ expr }) => readExpression(sent(expr)).selectors.map(({ metric }) => base(metric))),
    );
    const definitions = templating.list.map(({ definition = "" }) => definition).join(" ");
    const all = [...(await servedLabels()).keys()].map(base);
    expect(all.filter((metric) => !shown.includes(metric) && !definitions.includes(metric))).toEqual([]);
  });
});
