import { expect, it } from "vitest";
import { load, places } from "./support/load-text.ts";

const manifest = `apiVersion: edgewise/v1
kind: TLSEdge
metadata: {name: api}
spec:
  hostports: ["api.example.com:443"]
  traffic_policy: {value: {file: policy.json}}
`;

it.each<readonly [policy: string, place: string, remedy: string]>([
  ['{"a": [1,\n2,]}', "policy.json:2:2", "Remove the comma."],
  ['{"a": "x, }"\n"b": 2}', "policy.json:2:1", "Put a comma after the item before it."],
  ['{"a": True}', "policy.json:1:7", "Put double quotes around it, or write one of these."],
  ["{'a': 1}", "policy.json:1:2", 'Write double quotes: ".'],
  ['{"a": [1, 2}', "policy.json:1:12", "Write ] before it."],
  ['{"a": {"b": 1}', "policy.json:1:1", "Close it with }."],
  ['{"a": "x\ny"}', "policy.json:1:7", "Close it, or write \\n for a line break."],
  ['{"a": 1} // x', "policy.json:1:10", "Remove the comment"],
  [" ", "policy.json:1:1", "Write the value."],
  ['{"a": 007}', "a.yaml:6:27", "not JSON"],
])("says what is wrong with the policy %j", async (policy, place, remedy) => {
  const loaded = await load({ "a.yaml": manifest, "policy.json": policy });
  expect(places(loaded)).toEqual([`${place} policy-json`]);
  expect(`${loaded.diagnostics[0]?.message} ${loaded.diagnostics[0]?.remedy}`).toContain(remedy);
});
