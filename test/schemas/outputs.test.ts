import { expect, it } from "vitest";
import { impacts } from "../../src/kinds/impact.ts";
import { findingTypes } from "../../src/plan/drift-findings.ts";
import { refusalCodes } from "../../src/plan/plan-format.ts";
import { schemas } from "./all-schemas.ts";

it.each([
  ["output-definitions", impacts],
  ["output-definitions", refusalCodes],
  ["drift", findingTypes],
])("the closed lists of %s.schema.json are the code's", (name, values) => {
  expect(JSON.stringify(schemas.get(`${name}.schema.json`))).toContain(JSON.stringify([...values]));
});
