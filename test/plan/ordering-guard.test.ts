import { describe, expect, it } from "vitest";
import { NormalForms } from "../../src/kinds/normal-form.ts";
import type { Address } from "../../src/kinds/names.ts";
import { refuseCycles } from "../../src/plan/guards/ordering.ts";
import { OperationGraph } from "../../src/plan/operation-graph.ts";
import { planContext } from "../../src/plan/plan-context.ts";
import type { Refusal } from "../../src/plan/plan-format.ts";
import type { PlannedOperation } from "../../src/plan/resource-change.ts";
import { Account, defaults } from "./support/account.ts";

function operation(address: Address): PlannedOperation {
  const nothing = {
    makes: null,
    destroys: null,
    uses: [],
    detaches: [],
    takes: [],
    frees: [],
    notes: [],
    layer: 0,
    contested: [],
  } as const;
  return { kind: "patch", method: "PATCH", path: "/x", address, resourceId: null, body: null, bind: {}, ...nothing };
}

/** What is refused when the operations of these addresses wait for each other. */
function refusalsOf(...addresses: readonly Address[]): readonly Refusal[] {
  const operations = addresses.map(operation);
  const ordered = { operations, graph: new OperationGraph(operations.length), gaps: [], cycles: [{ operations }] };
  const context = planContext(new Account().live(), defaults, new NormalForms());
  refuseCycles({ manifests: [], proposed: [], changes: [], changed: [], owned: [], ordered }, context);
  return context.findings.refusals;
}

describe("ordering-cycle", () => {
  it("of several resources asks to split the change", () => {
    const [refusal] = refusalsOf("TLSEdge/a", "TLSEdge/b", "TLSEdge/a");
    expect(refusal?.message).toMatch(/^TLSEdge\/a, TLSEdge\/b depend on each other/u);
    expect(refusal?.remedy).toContain("remove the hostport from one of them");
  });

  it("speaks of what the kind claims, without a word of its own of a claim", () => {
    const [refusal] = refusalsOf("HTTPResponseBackend/a", "HTTPResponseBackend/b");
    expect(refusal?.remedy).toContain("remove the claim from one of them");
  });

  it("of one resource tells what to do with that one", () => {
    const [refusal] = refusalsOf("TLSEdge/a", "TLSEdge/a");
    expect(refusal).toMatchObject({ code: "ordering-cycle", address: "TLSEdge/a" });
    expect(refusal?.message).not.toMatch(/each other|one of them/u);
    expect(refusal?.remedy).toContain("remove its manifest and apply");
  });
});
