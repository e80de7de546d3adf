import { describe, expect, it } from "vitest";
import { planView } from "../../src/report/plan-view.ts";
import { renderText } from "../../src/report/report-text.ts";
import { expectGolden } from "./expect-golden.ts";
import { change, field, planOf, samplePlan } from "./sample-plan.ts";

describe("plan as text", () => {
  it("shows something of everything", async () => {
    expectGolden("plan.txt", renderText(planView(samplePlan()), { color: false }));
    expectGolden("plan-compact.txt", renderText(planView(samplePlan()), { color: false, compact: true }));
    const colored = renderText(planView(samplePlan()), { color: true });
    // eslint-disable-next-line no-control-regex
    expect(colored.replaceAll(/\u001b\[[0-9;]*m/g, "")).toBe(renderText(planView(samplePlan()), { color: false }));
    expect(colored).toContain("\u001b[");
  });

  it("does not repeat a lost hostport as the worst change, nor count what is lost twice", async () => {
    const lost = { impact: "routing", reason: "a.example:443 is no longer served by this edge" } as const;
    const other = { impact: "routing", reason: "traffic goes to another backend" } as const;
    const changes = [
      change("TLSEdge/a", "update", [field("spec.hostports", ["a.example:443"], ["b.example:443"], lost)], lost),
      change("TLSEdge/b", "delete", [field("spec.hostports", ["b.example:443"], null, other)], other),
      change("TLSEdge/c", "update", [field("spec.backend", { id: "bkdhr_1" }, { id: "bkdhr_2" }, other)], other),
    ];
    const text = renderText(planView(planOf(changes, { unserved: ["hostport:a.example:443"] })), { color: false });
    expect(text.split("\nStack")[0]?.replaceAll(/\n +/gu, " ")).toBe(
      "ROUTING  1 hostport no longer served: a.example:443; 1 deletion: TLSEdge/b; TLSEdge/c: traffic goes to another backend",
    );
  });

  it("keeps words after a value, and how the plan was made, within the width", async () => {
    const hostports = field("spec.hostports", null, ["api.example.com:443", { address: "tcp-europe" }], {
      unknown: true,
    });
    const text = renderText(planView(planOf([change("TLSEdge/x", "create", [hostports])])), {
      color: false,
      width: 80,
    });
    expect(text).toContain(
      "      + spec.hostports: (known after apply)\n          + [api.example.com:443, {address: tcp-europe}]\n",
    );
    const { relaxations } = planOf([]);
    const made = planOf([change("TLSEdge/x", "delete", [])], { relaxations: { ...relaxations, destroy: true } });
    const lines = renderText(planView(made), { color: false, width: 80 }).split("\n");
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it("gives the worst reason of a whole resource, and those of security", async () => {
    const fields = [
      field("spec.hostports", null, ["a.example:443"], {
        impact: "routing",
        reason: "a.example:443 is served by this edge",
      }),
      field("spec.backend", null, { id: "bkdhr_1" }, { impact: "routing", reason: "traffic goes to another backend" }),
      field("spec.enforced", null, true, { impact: "security", reason: "others are locked out" }),
    ];
    const text = renderText(
      planView(
        planOf([change("TLSEdge/x", "create", fields, { impact: "security", reason: "others are locked out" })]),
      ),
      { color: false },
    );
    expect(text.match(/others are locked out/g)).toHaveLength(2);
    expect(text).not.toContain("another backend");
  });
});
