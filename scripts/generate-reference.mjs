// Generates docs/reference from the schemas and the registry of kinds (dist/ must be built): a page for each kind, the
// configuration, the fleet file and the JSON formats. It prints what `edgewise explain` would, for every field.
//   node scripts/generate-reference.mjs           writes
//   node scripts/generate-reference.mjs --check   fails if a page is out of date
import { readFileSync, readdirSync } from "node:fs";
import { kinds } from "../dist/kinds/registry.js";
import { kindNames } from "../dist/kinds/names.js";
import { explain } from "../dist/schema/explain-field.js";
import { schemaFile, schemaNames } from "../dist/schema/schema-files.js";
import { cell, writePages } from "./write-pages.mjs";

const note = "<!-- Generated from schemas/ and src/kinds by scripts/generate-reference.mjs. Not to be edited. -->";
const repository = new URL("../", import.meta.url);
const read = (path) => readFileSync(new URL(path, repository), "utf8");

/** What `explain` says of a field and of everything in it, each with its path below the root. */
function fieldsBelow(name, path = []) {
  const found = explain(name, path);
  const rows = path.length === 0 ? [] : [{ ...found, path }];
  // A kind's page shows `spec.description`, which `explain` lists twice: at the root, and in spec.
  const members = found.members.filter((member) => !member.name.includes("."));
  if (path.length > 0 && repeatsRoot(name, members)) return rows;
  return [...rows, ...members.flatMap((member) => fieldsBelow(name, [...path, member.name]))];
}

/** Whether members are those of the whole document again, as in an environment of the configuration. */
function repeatsRoot(name, members) {
  const root = new Map(explain(name, []).members.map((member) => [member.name, member.description]));
  return members.length > 2 && members.every((member) => root.get(member.name) === member.description);
}

function prose(text) {
  // A lone asterisk would begin an emphasis.
  const plain = text.split("`").map((part, at) => (at % 2 === 1 ? part : part.replaceAll("*", "\\*")));
  const coded = plain
    .join("`")
    .replaceAll(/(`[^`]*`)|(\$\{\{.*?\}\}|\{[a-z]+: [^{}]*\})/g, (_, code, literal) => code ?? `\`${literal}\``);
  return cell(coded);
}

const code = (text) => `\`${cell(text)}\``;
const sentence = (text) => (text === "" || /[.!?…]$/.test(text) ? text : `${text}.`);

function typeCell(facts) {
  const type = facts.get("Type") ?? "";
  const values = facts.has("Values") ? [`one of ${facts.get("Values").split(", ").map(code).join(", ")}`] : [];
  const value = facts.has("Value") ? [`always ${code(facts.get("Value"))}`] : [];
  const others = ["Form", "Limits"].flatMap((label) => (facts.has(label) ? [prose(facts.get(label))] : []));
  const each = facts.has("Each") ? [`each: ${prose(facts.get("Each"))}`] : [];
  const names = facts.has("Names") ? [`names: ${prose(facts.get("Names"))}`] : [];
  return [cell(type), ...values, ...value, ...others, ...each, ...names].join("; ");
}

function defaultCell(facts) {
  if (facts.get("Required") === "yes") return "**required**";
  const text = facts.get("Default");
  if (text === undefined) return "–";
  return text === "none" || text === "the live value" ? text : code(text);
}

const descriptionCell = ({ description, facts }) =>
  prose([sentence(description), ...(facts.has("From") ? [`From ${facts.get("From")}.`] : [])].join(" "));

function fieldTable(rows, columns) {
  const cells = {
    field: ({ path }) => code(path.join(".")),
    type: ({ facts }) => typeCell(facts),
    default: ({ facts }) => defaultCell(facts),
    set: ({ facts }) => cell(facts.get("Set") ?? "–"),
    description: descriptionCell,
  };
  const withFacts = rows.map((row) => ({ ...row, facts: new Map(row.facts) }));
  return [
    `| ${columns.join(" | ")} |`,
    `|${" --- |".repeat(columns.length)}`,
    ...withFacts.map((row) => `| ${columns.map((column) => cells[column](row)).join(" | ")} |`),
  ];
}

/** The manifest of a kind that names the most fields, and where it is. */
function exampleOf(kind) {
  const folders = ["docs/reference/example", "examples/quickstart", "examples/production"].map(
    (path) => `${path}/edge/`,
  );
  const documents = folders.flatMap((folder) =>
    readdirSync(new URL(folder, repository))
      .filter((name) => name.endsWith(".yaml"))
      .flatMap((name) =>
        read(folder + name)
          .split(/^---\n/m)
          .map((text) => ({ file: folder + name, text })),
      ),
  );
  const found = documents.find(({ text }) => text.split("\n").includes(`kind: ${kind}`));
  if (found === undefined) throw new Error(`no example has a manifest of ${kind}`);
  return { ...found, text: found.text.replaceAll(/^#.*\n/gm, "").trim() };
}

function kindPage(kind) {
  const { title, description } = explain(kind, []);
  const { collection, idPrefix, defaults } = kinds[kind];
  const rows = fieldsBelow(kind);
  const spec = rows.filter(({ path }) => path[0] === "spec" && path.length > 1);
  const { description: desired } = explain(kind, ["spec"]);
  const envelope = rows.filter(({ path }) => path[0] !== "spec");
  const example = exampleOf(kind);
  const facts = [
    collection === null
      ? "- **Owner**: none. The service has no list of these, so edgewise neither creates nor deletes them; it writes the modules that the manifest names."
      : `- **Owner**: the stack that created or adopted it. When its manifest is removed, it is ${afterRemoval[defaults.deletion]} (\`lifecycle.deletion\`).`,
    ...(collection === null ? [] : [`- **Listed at**: \`GET ${collection.path}\``]),
    ...(idPrefix === undefined ? [] : [`- **Ids** begin with \`${idPrefix}\`.`]),
    `- **In the terminal**: \`edgewise explain ${kind}\``,
  ];
  return [
    note,
    "",
    `# ${title}`,
    "",
    prose(description),
    "",
    ...facts,
    "",
    "## Example",
    "",
    `A complete manifest, from [${example.file}](../../../${example.file}). Fields that you leave out have their defaults.`,
    "",
    "```yaml",
    example.text,
    "```",
    "",
    "## Spec",
    "",
    `${prose(desired)} [How to read these tables](../README.md#how-to-read-the-tables).`,
    "",
    ...fieldTable(
      spec.map((row) => ({ ...row, path: row.path.slice(1) })),
      ["field", "description", "type", "default", "set"],
    ),
    "",
    "## Other fields",
    "",
    "They are for edgewise and are not sent.",
    "",
    ...fieldTable(envelope, ["field", "description", "type", "default"]),
    "",
  ].join("\n");
}

const afterRemoval = { delete: "deleted", protect: "protected: the plan is refused", orphan: "kept without an owner" };

/** The page of a file that people write: a section for each of its members. */
function filePage({ name, title, intro, example }) {
  const { description, members } = explain(name, []);
  const all = fieldsBelow(name);
  const columns = ["field", "description", "type", "default"];
  // What marks the document comes first and has one value.
  const marks = all.filter(({ facts }) => facts.some(([label]) => label === "Value"));
  const head = ["", "## apiVersion and kind", "", ...fieldTable(marks, columns)];
  const sections = members.flatMap((member) => {
    const rows = all.filter((row) => row.path[0] === member.name && !marks.includes(row));
    if (rows.length === 0) return [];
    const examples = rows[0].examples.map((line) => `\`\`\`yaml\n${line}\n\`\`\``);
    return ["", `## ${member.name}`, "", ...fieldTable(rows, columns), ...examples.flatMap((block) => ["", block])];
  });
  return [
    note,
    "",
    `# ${title}`,
    "",
    prose(description),
    "",
    ...intro,
    "",
    `An example: [${example}](../../${example}).`,
    ...head,
    ...sections,
    "",
  ].join("\n");
}

function formatRow(name) {
  const { title, description } = explain(name, []);
  const members = fieldsBelow(name).filter(({ path }) => path.length === 1);
  const file = `[${name}](../../schemas/${schemaFile(name)})`;
  return `| ${file} | ${prose(sentence(description === "" ? title : description))} | ${members.map(({ path }) => code(path[0])).join(" ")} |`;
}

/** The schemas of what commands and `serve` write: all but those of what people write. */
function formatNames() {
  const input = new Set([...kindNames, "Config", "Fleet", "manifest"].map(schemaFile));
  const shared = ["definitions.schema.json", "output-definitions.schema.json"];
  const named = schemaNames.filter((name) => !input.has(schemaFile(name)));
  const known = new Set([...input, ...shared, ...named.map(schemaFile)]);
  const others = readdirSync(new URL("schemas/", repository)).filter((file) => !known.has(file));
  return [...named, ...others.map((file) => file.replace(".schema.json", ""))];
}

function formatsPage() {
  return [
    note,
    "",
    "# JSON formats",
    "",
    "What `-o json` prints, and what edgewise and `serve` write to files and over HTTP. Each has a JSON Schema, and a version",
    "in its member `format`. Within a version, members may be added and none is removed or changes its meaning, so",
    "ignore what you don't know. `edgewise explain plan.changes` explains a member, `edgewise schema plan` prints a schema.",
    "",
    "| format | what it is | outermost members |",
    "| --- | --- | --- |",
    ...formatNames().map(formatRow),
    "",
  ].join("\n");
}

/** The index is written by hand, but for its list of kinds. */
function indexPage() {
  const rows = kindNames.map((kind) => `| [${kind}](manifests/${kind}.md) | ${prose(kindSummaries.get(kind))} |\n`);
  const table = `\n| kind | describes |\n| --- | --- |\n${rows.join("")}\n`;
  const index = read("docs/reference/README.md");
  return index.replace(/(<!-- kinds -->\n)[\s\S]*?(<!-- \/kinds -->)/, (_, begin, end) => begin + table + end);
}

const kindPages = new Map();
const kindSummaries = new Map();
for (const kind of kindNames) {
  kindPages.set(`${kind}.md`, kindPage(kind));
  kindSummaries.set(kind, explain(kind, []).description);
}
const pages = new Map([
  ["README.md", indexPage()],
  [
    "configuration.md",
    filePage({
      name: "Config",
      title: "Configuration: edgewise.yaml",
      intro: [
        "It stands at the root of the manifests; commands look for it in the current directory and above. `edgewise init` writes one.",
        "In the terminal: `edgewise explain Config`.",
      ],
      example: "examples/production/edgewise.yaml",
    }),
  ],
  [
    "fleet.md",
    filePage({
      name: "Fleet",
      title: "Fleet: the file of edgewise serve",
      intro: [
        "[The controller](../serve/README.md) explains how these settings work together. In the terminal: `edgewise explain Fleet`.",
      ],
      example: "examples/serve/fleet.yaml",
    }),
  ],
  ["formats.md", formatsPage()],
]);
// Codes are written by hand, in the same folder.
pages.set("codes.md", read("docs/reference/codes.md"));
await writePages("docs/reference", pages, "generate-reference.mjs");
await writePages("docs/reference/manifests", kindPages, "generate-reference.mjs");
