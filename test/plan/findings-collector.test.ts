import { describe, expect, it } from "vitest";
import { FindingsCollector } from "../../src/plan/findings-collector.ts";
import type { RefusalCode } from "../../src/plan/plan-format.ts";

function remedyOf(code: RefusalCode, remedy: string): string | undefined {
  const findings = new FindingsCollector([]);
  findings.refuse(code, "TLSEdge/api", "no", remedy);
  return findings.refusals[0]?.remedy;
}

describe("the remedy of a refusal that an address lifts", () => {
  it("names --allow where it says so", () => {
    expect(remedyOf("lockout", "wait, then {allow}; or don't")).toBe(
      "wait, then allow it by --allow TLSEdge/api (or in guards.allow); or don't",
    );
  });

  it("names --allow even when its words forget it", () => {
    expect(remedyOf("lockout", "wait")).toBe("wait; or allow it by --allow TLSEdge/api (or in guards.allow)");
  });

  it("is left as it is for a refusal that stands whatever is allowed", () => {
    expect(remedyOf("ordering-cycle", "wait")).toBe("wait");
  });
});
