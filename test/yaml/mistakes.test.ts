import { expect, it } from "vitest";
import { load, places } from "../manifest/support/load-text.ts";

const head = "apiVersion: edgewise/v1\nkind: TLSEdge\n";

it.each<readonly [text: string, place: string, remedy: string]>([
  [`${head}metadata:\n\tname: api\n`, "4:1", "Replace it with spaces"],
  [`${head}metadata: {name: \${{ vars.name }}}\n`, "3:19", "Put quotes around the whole text."],
  [`${head}metadata: {name: "api}\nspec: {}\n`, "3:18", "Close it."],
  [`${head}metadata:\n  name:api\n  id: x\n`, "4:3", "Write `key: value`"],
  [`${head}metadata:\n  name: api\n    id: x\n`, "4:9", "Correct the indentation"],
  [`${head}metadata:\n  name: api\n id: x\n`, "5:2", "in one column"],
  [`${head}metadata: {name: api\nspec: {}\n`, "4:1", "Close it, or indent"],
  [`${head}metadata: {name: a b: c}\n`, "3:18", "quotes around a text with a colon"],
  [`${head}metadata:\n  name: note: x\n`, "4:9", "quotes around a text with a colon"],
  [`${head}metadata:\n  name: @api\n`, "4:9", "Put quotes around the text."],
  [`${head}metadata:\n  name: *.example.com\n`, "4:9", "put quotes around a text that begins with *"],
  [`${head}metadata: !name {}\n`, "3:11", "Remove the tag"],
  [`${head}kind: TLSEdge\n`, "3:1", "a line --- between two manifests"],
  [`${head}metadata: {name: api}\nmetadata: {name: api}\n`, "4:1", "Keep one of them"],
])("%j", async (text, place, remedy) => {
  const loaded = await load({ "a.yaml": text });
  const [first] = loaded.diagnostics;
  expect(`${first?.line}:${first?.column} ${first?.remedy}`).toContain(`${place} `);
  expect(first?.remedy).toContain(remedy);
  expect(places(loaded)).toEqual([expect.stringMatching(/ yaml-/u)]);
});
