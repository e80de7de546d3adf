import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isObject } from "../../src/core/json.ts";
import { compilePolicy } from "../../src/policies/compile-policy.ts";
import { root } from "../repository/source-files.ts";
import { parse } from "yaml";

const file = join(root, "docs/policies.md");

function schema(name: string): unknown {
  return JSON.parse(readFileSync(join(root, "schemas", `${name}.schema.json`), "utf8"));
}

function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const step of path) found = isObject(found) ? found[step] : undefined;
  return found;
}

function resolved(member: unknown): unknown {
  const reference = at(member, "$ref");
  if (typeof reference !== "string") return member;
  const [, pointer = ""] = reference.split("#/");
  return at(schema("output-definitions"), ...pointer.split("/"));
}

function rows(object: unknown): readonly string[] {
  const members = at(object, "properties");
  const required = at(object, "required");
  if (!isObject(members) || !Array.isArray(required)) throw new Error("no object");
  return Object.entries(members).map(([name, member]) => {
    const description = String(at(member, "description") ?? at(resolved(member), "description"));
    const optional = required.includes(name) ? "" : " Optional: read it with `.?`.";
    return `| \`${name}\` | ${description.replaceAll("|", "\\|")}${optional} |`;
  });
}

function table(lines: readonly string[]): string {
  return ["| member | meaning |", "|---|---|", ...lines].join("\n");
}

const changes = resolved(at(schema("plan"), "properties", "changes", "items"));
const derived = [
  "| `kind`, `name` | The two parts of the address. Not in the plan itself. |",
  "| `before`, `after` | The fields that change, as they are and as they will be, in the shape of a manifest: `change.after.spec.hostports`. Not in the plan itself. |",
];

it("docs/policies.md lists the members that expressions see", () => {
  const text = readFileSync(file, "utf8");
  const [begin, end] = ["<!-- change:begin -->", "<!-- change:end -->"];
  const before = text.slice(0, text.indexOf(begin) + begin.length);
  const fresh = `${before}\n\n${table([...derived, ...rows(changes)])}\n\n${text.slice(text.indexOf(end))}`;
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, fresh);
  expect(readFileSync(file, "utf8"), "UPDATE_GOLDEN=1 writes it").toBe(fresh);
});

it("docs/policies.md has expressions that are valid", () => {
  const blocks = [...readFileSync(file, "utf8").matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  const expressions = blocks.flatMap((block) => {
    const { policies }: { policies: readonly { expression: string }[] } = parse(block);
    return policies.map(({ expression }) => expression);
  });
  expect(expressions.length).toBeGreaterThan(5);
  for (const expression of expressions) expect(compilePolicy(expression), expression).toHaveProperty("holds");
});
