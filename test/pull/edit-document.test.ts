import { describe, expect, it } from "vitest";
import type { Value, ValueObject } from "../../src/core/json.ts";
import { type FieldEdit, editDocument } from "../../src/pull/edit-document.ts";
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
      "quotes what would not be text",
      "spec:\n  description: a\n",
      set("description", "true"),
      'spec:\n  description: "true"\n',
    ],
    [
      "keeps a literal block and its comment",
      "spec:\n  description: |-   # why\n     a\n     b\n  x: 1\n",
      set("description", "c\n\nd"),
      "spec:\n  description: |-   # why\n    c\n\n    d\n  x: 1\n",
    ],
    [
      "adds a field in its usual place",
      "spec:\n    description: a\n    # about the backend\n    backend: {}\n",
      set("hostports", ["a:1"]),
      "spec:\n    description: a\n    hostports:\n        - a:1\n    # about the backend\n    backend: {}\n",
    ],
    [
      "removes a field with the comments that can only be its own",
      "spec:\n  description: a\n\n  # a heading\n\n  # about hostports\n  hostports: [] # beside\n    # deeper\n  x: 1\n",
      set("hostports", undefined),
      "spec:\n  description: a\n\n  # a heading\n\n  x: 1\n",
    ],
    [
      "adds JSON to JSON",
      '{"spec": {"hostports": ["a:1"]}}',
      set("backend", { enabled: false, backend: { id: "b" } }),
      '{"spec": {"hostports": ["a:1"], "backend": {"enabled": false, "backend": {"id": "b"}}}}',
    ],
    [
      "writes the value of an alias out, and leaves its anchor",
      "x: &x\n  enabled: true\nspec:\n  backend: *x # shared\n",
      set("backend.enabled", false),
      "x: &x\n  enabled: true\nspec:\n  backend: {enabled: false} # shared\n",
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
      text: after,
    } = editDocument(text, specOf(text), [set("description", "b"), set("hostports", ["b:1"])], order);
    expect(after).toBe("spec:\n  description: &d a\n  x: *d\n  hostports: [b:1]\n");
    expect([done.length, left.length]).toEqual([1, 1]);
  });
});
