import { describe, expect, it } from "vitest";
import type { Value, ValueObject } from "../../src/json.ts";
import { type FieldEdit, editDocument, editJsonText } from "../../src/pull/edit-document.ts";
import { parseFile } from "../../src/yaml/parse-file.ts";

const order = {
  description: {},
  hostports: {},
  backend: { enabled: {}, backend: {} },
  mutual_tls: { enabled: {}, list: {} },
};

function specOf(text: string): ValueObject {
  const document = parseFile(text).documents[0]?.value as { spec: ValueObject } | undefined;
  return document?.spec ?? {};
}

function edited(text: string, ...edits: readonly FieldEdit[]): string {
  const result = editDocument(text, specOf(text), edits, order);
  expect(result.left).toEqual([]);
  return result.text;
}

function set(path: string, wanted: Value | undefined): FieldEdit {
  const [field = "", member] = path.split(".");
  return { path: member === undefined ? [field] : [field, member], wanted };
}

describe("editDocument", () => {
  it.each<readonly [what: string, before: string, edit: FieldEdit, after: string]>([
    [
      "keeps single quotes",
      "spec:\n  description: 'a'  # b\n",
      set("description", "it's"),
      "spec:\n  description: 'it''s'  # b\n",
    ],
    [
      "quotes what would not be text",
      "spec:\n  description: a\n",
      set("description", "true"),
      'spec:\n  description: "true"\n',
    ],
    [
      "keeps a literal block and its comment",
      "spec:\n  description: |- # why\n     a\n     b\n  x: 1\n",
      set("description", "c\n\nd"),
      "spec:\n  description: |- # why\n     c\n\n     d\n  x: 1\n",
    ],
    [
      "keeps a literal block that is indented by tabs",
      'spec:\n  description: |\n    {\n    \t"a": 1\n    }\n  x: 1\n',
      set("description", '{\n\t"a": 2\n}\n'),
      'spec:\n  description: |\n    {\n    \t"a": 2\n    }\n  x: 1\n',
    ],
    [
      "puts what no block can hold in quotes",
      "spec:\n  description: | # why\n    a\n  x: 1\n",
      set("description", " b"),
      'spec:\n  description: " b" # why\n  x: 1\n',
    ],
    [
      "adds a field in its usual place",
      "spec:\n    description: a\n    # about the backend\n    backend: {}\n",
      set("hostports", ["a:1"]),
      "spec:\n    description: a\n    hostports:\n        - a:1\n    # about the backend\n    backend: {}\n",
    ],
    [
      "adds a field to a map in brackets",
      "spec: { description: a, backend: {} }\n",
      set("hostports", ["a:1"]),
      "spec: { description: a, hostports: [a:1], backend: {} }\n",
    ],
    [
      "removes a field with the comments that can only be its own",
      "spec:\n  description: a\n\n  # a heading\n\n  # about hostports\n  hostports: [] # beside\n    # deeper\n  x: 1\n",
      set("hostports", undefined),
      "spec:\n  description: a\n\n  # a heading\n\n  x: 1\n",
    ],
    [
      "removes from a list and adds to it",
      "spec:\n  hostports:\n  # first\n  - a:1  # one\n  # second\n  - b:1  # two\n  - c:1\n",
      set("hostports", ["a:1", "c:1", "d:1"]),
      "spec:\n  hostports:\n  # first\n  - a:1  # one\n  - c:1\n  - d:1\n",
    ],
    [
      "removes a field from a map in brackets, and leaves the lines beside it as they are",
      "spec:\n  headers: {\n    a:   '1' ,\n    b :  '2'   ,\n    c: '3'  }\n",
      set("headers", { a: "1", c: "3" }),
      "spec:\n  headers: {\n    a:   '1' ,\n    c: '3'  }\n",
    ],
    [
      "keeps the commas of stacked items right",
      'spec: {\n  "hostports": [\n    "a:1", # one\n    "b:1"  # two\n  ]\n}\n',
      set("hostports", ["a:1", "c:1"]),
      'spec: {\n  "hostports": [\n    "a:1", # one\n    c:1\n  ]\n}\n',
    ],
    [
      "adds JSON to JSON",
      '{"spec": {"hostports": ["a:1"]}}',
      set("backend", { enabled: false, backend: { id: "b" } }),
      '{"spec": {"hostports": ["a:1"], "backend": {"enabled": false, "backend": {"id": "b"}}}}',
    ],
    [
      "replaces a list and the comment beside its last item",
      "spec:\n  hostports: # which\n    - a\n    - b # last\n  x: 1\n",
      set("hostports", ["c\nd\n"]),
      "spec:\n  hostports: # which\n    - |\n      c\n      d\n  x: 1\n",
    ],
    [
      "writes the value of an alias out, and leaves its anchor",
      "x: &x\n  enabled: true\nspec:\n  backend: *x # shared\n",
      set("backend.enabled", false),
      "x: &x\n  enabled: true\nspec:\n  backend: {enabled: false} # shared\n",
    ],
    [
      "reads explicit keys",
      "spec:\n  ? description\n  : a\n  ? hostports\n  : - a:1\n",
      set("description", "b"),
      "spec:\n  ? description\n  : b\n  ? hostports\n  : - a:1\n",
    ],
    [
      "removes the first member beside a dash",
      "spec:\n  hostports:\n    - name: a\n      other: b # c\n",
      set("hostports", [{ other: "b" }]),
      "spec:\n  hostports:\n    - other: b # c\n",
    ],
    [
      "escapes expressions",
      "spec: {description: a}\n",
      set("description", "${{ x }}"),
      'spec: {description: "$${{ x }}"}\n',
    ],
  ])("%s", (_what, before, edit, after) => {
    expect(edited(before, edit)).toBe(after);
  });

  it("leaves alone what is used elsewhere, tagged, or filled in, and says why", () => {
    const text = "spec:\n  description: &d a\n  x: *d\n  hostports: !!seq [a]\n  backend: {file: b.yaml}\n";
    const meant = { ...specOf(text), backend: "from the file" };
    const edits = [set("description", "b"), set("hostports", null), set("backend", "c")];
    const { done, left, text: after } = editDocument(text, meant, edits, order);
    expect(after).toBe(text);
    expect(done).toEqual([]);
    expect(left.map(({ reason }) => reason)).toEqual([
      "has the anchor &d, which is used elsewhere in the document",
      "has a tag, which may not fit another value",
      "comes from b.yaml",
    ]);
  });

  it("edits what it can when something else can't be edited", () => {
    const text = "spec:\n  description: &d a\n  x: *d\n  hostports: [a:1]\n";
    const {
      done,
      left,
      spec,
      text: after,
    } = editDocument(text, specOf(text), [set("description", "b"), set("hostports", ["b:1"])], order);
    expect(after).toBe("spec:\n  description: &d a\n  x: *d\n  hostports: [b:1]\n");
    expect([done.length, left.length]).toEqual([1, 1]);
    expect(spec).toEqual({ description: "a", x: "a", hostports: ["b:1"] });
  });
});

describe("editJsonText", () => {
  it("keeps the layout of the text", () => {
    const text = '{\n  "a": [ 1,2 ],\n  "b": {"c": "d"}\n}';
    expect(editJsonText(text, { a: [1, 2], b: { c: "d" } }, { a: [1, 2], b: { c: "e" }, f: [] })).toBe(
      '{\n  "a": [ 1,2 ],\n  "b": {"c": "e"},\n  "f": []\n}',
    );
  });
});
