import { beforeEach, describe, expect, it, vi } from "vitest";
import { parseAny } from "../../../src/yaml/parse-any.ts";
import { parseFile } from "../../../src/yaml/parse-file.ts";

vi.mock("../../../src/yaml/parse-any.ts", { spy: true });

const plain = (index: number) =>
  `kind: TLSEdge\nmetadata:\n  name: edge-${index}\nspec:\n  hostports: ["e${index}.example:443"]\n`;
const anchored = (index: number) => `a: &x ${index}\nb: *x\n`;

function file(count: number, document: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => `--- # ${index}\n${document(index)}`).join("");
}

/** The number of characters that the YAML library parsed. */
function libraryWork(): number {
  return vi.mocked(parseAny).mock.calls.reduce((sum, [text]) => sum + text.length, 0);
}

beforeEach(() => vi.clearAllMocks());

describe("a manifest file", () => {
  it("with plain documents only never needs the YAML library", () => {
    expect(parseFile(file(500, plain)).documents).toHaveLength(500);
    expect(parseAny).not.toHaveBeenCalled();
  });

  it("never needs it for what people write, nor for long documents", () => {
    const rule = (index: number) =>
      `  - name: "😀 ${index}"\r\n    'actions':\r\n      - type: deny\r\n        config: {"status_code": 403}\r\n    text: >-\r\n      over\r\n      lines\r\n`;
    const text = `on_http_request:\r\n${Array.from({ length: 4000 }, (_, index) => rule(index)).join("")}`;
    expect(text.length).toBeGreaterThan(500_000);
    expect(parseFile(text).documents).toHaveLength(1);
    expect(parseAny).not.toHaveBeenCalled();
  });

  it("needs it only for the documents that are not plain", () => {
    const text = file(200, (index) => (index % 10 === 0 ? anchored(index) : plain(index)));
    expect(parseFile(text).documents).toHaveLength(200);
    expect(parseAny).toHaveBeenCalledTimes(20);
  });

  it.each([
    ["without plain documents", anchored],
    ["with a mistake in every document", (index: number) => `a: [${index}\n`],
    ["with a mistake at its end", (index: number) => (index % 100 === 99 ? "a: [\n" : plain(index))],
  ])("%s is read at most twice, however long it is", (_what, document) => {
    for (const count of [100, 200, 400]) {
      vi.clearAllMocks();
      const text = file(count, document);
      parseFile(text);
      expect(libraryWork()).toBeLessThanOrEqual(2 * text.length);
    }
  });
});
