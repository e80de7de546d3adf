import { describe, expect, it } from "vitest";
import type { FindingType } from "../../src/plan/drift-findings.ts";
import { fingerprints, names, otherFields, withRemedy, withSubject } from "../../src/report/report-entries.ts";
import { field } from "./sample-plan.ts";

describe("entries of reports", () => {
  it.each([
    ["TLSEdge/api differs", true],
    ["two have the name TLSEdge/api.", true],
    ["`TLSEdge/api`, and others", true],
    ["TLSEdge/api-2 differs", false],
    ["TLSEdge/api.eu differs", false],
    ["MyTLSEdge/api differs", false],
    ["TLSEdge/api-2 is in the way of TLSEdge/api", true],
    ["", false],
  ])("%s: named is %s", (text, named) => {
    expect(names(text, "TLSEdge/api")).toBe(named);
  });

  it("name nothing by an empty name", () => {
    expect(names("text", "")).toBe(false);
  });

  it("name their resource once", () => {
    expect(withSubject("it is gone", "TLSEdge/api")).toBe("TLSEdge/api: it is gone");
    expect(withSubject("TLSEdge/api is gone", "TLSEdge/api")).toBe("TLSEdge/api is gone");
    expect(withSubject("the edge edgtls_1 is gone", "TLSEdge/edgtls_1", "edgtls_1")).toBe("The edge edgtls_1 is gone");
    expect(withSubject("it is gone", null)).toBe("it is gone");
  });

  it("end the message before the remedy", () => {
    expect(withRemedy("it is wrong", "Correct it.")).toBe("it is wrong. Correct it.");
    expect(withRemedy("It is wrong.", "Correct it.")).toBe("It is wrong. Correct it.");
    expect(withRemedy("it is wrong", null)).toBe("it is wrong");
  });

  it("list the fields that the message does not name", () => {
    const fields = [field("spec.backend", 1, 2), field("spec.backend.enabled", 1, 2)];
    const of = (message: string, type: FindingType = "modified") => otherFields({ fields, message, type });
    expect(of("spec.backend.enabled differs")).toBe(" (spec.backend)");
    expect(of("spec.backend and spec.backend.enabled differ")).toBe("");
    expect(of("it is not live", "missing")).toBe("");
    expect(of("no manifest describes it", "unexpected")).toBe("");
  });

  it("have fingerprints of their own", () => {
    const [one, two] = [fingerprints(), fingerprints()];
    expect(one(["a", null])).toBe(two(["a", null]));
    expect(one(["a", null])).toBe(two(["a", null]));
    expect(one(["a", null])).not.toBe(two(["b", null]));
  });
});
