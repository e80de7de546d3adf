import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "../../repository/source-files.ts";
import { readExpression } from "./promql.ts";
import { closedLabels, servedLabels } from "./serve-metrics.ts";

const read = (name: string): string => readFileSync(join(root, "examples/serve", name), "utf8");

/** What Prometheus adds to each series when it scrapes. */
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
