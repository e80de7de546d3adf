// The pages of the site and its menu: by what readers want (tutorial, how-to, reference, explanation).
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";

/** The repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** Markdown files that are no pages, as globs. */
export const excluded = ["node_modules/**", "docs/site/**", "test/**", "dist/**", "coverage/**", "bench/**", ".*/**"];

/**
 * Where a file of the repository is on the site: `docs/locking.md` is `locking.md`, a README is the index of its folder, and
 * `SECURITY.md` is `project/security.md`, because some disks can't hold it beside `security.md`. The index of all pages gives
 * its place to the README of the repository.
 * @param {string} file
 */
export const urlPathOf = (file) =>
  file
    .replace(/^docs\/README\.md$/, "all-pages.md")
    .replace(/^docs\//, "")
    .replace(/(^|\/)README\.md$/, "$1index.md")
    .replace(/^[A-Z]+\.md$/, (name) => `project/${name.toLowerCase()}`);

const linkTo = (file) =>
  `/${urlPathOf(file)
    .replace(/(^|\/)index\.md$/, "$1")
    .replace(/\.md$/, "")}`;

/** The title of a page: its first heading. */
function titleOf(file) {
  const [, title] = /^# (.+)$/m.exec(readFileSync(join(root, file), "utf8")) ?? [];
  if (title === undefined) throw new Error(`${file} has no heading of the first level`);
  return title.replaceAll("`", "");
}

const markdownIn = (folder) =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder))
        .filter((name) => name.endsWith(".md"))
        .map((name) => `${folder}/${name}`)
        .toSorted((a, b) => Number(b.endsWith("README.md")) - Number(a.endsWith("README.md")) || (a < b ? -1 : 1))
    : [];

const docs = (...names) => names.map((name) => `docs/${name}.md`).filter((file) => existsSync(join(root, file)));

const item = (file, text = titleOf(file)) => ({ text, link: linkTo(file) });

const group = (text, files) => ({ text, collapsed: true, items: files.map((file) => item(file)) });

/** The pages of a list that are there; the others of docs/ follow the how-tos, so that a new page is never lost. */
const tutorials = [...docs("tutorial"), ...markdownIn("docs/tutorial"), ...markdownIn("docs/tutorials")];
const recipes = docs(
  "how-to/rotate-a-certificate",
  "how-to/move-a-hostname",
  "how-to/split-a-stack",
  "how-to/hand-over-to-another-team",
  "how-to/recover-from-a-half-apply",
  "how-to/roll-back",
);
const howTos = [
  ...docs(
    "migration",
    "live-services",
    "ci",
    "ci/github",
    "ci/gitlab",
    "ci/stacks",
    "ci/comments",
    "ci/kubernetes",
    "pull",
  ),
  ...recipes,
  ...markdownIn("docs/how-to").filter((file) => !recipes.includes(file)),
  ...markdownIn("docs/serve"),
  ...docs("secrets", "policies", "locking", "sandbox", "editor", "completion", "library"),
];
const guides = docs("manifests", "plans", "troubleshooting");
const references = docs("diagnostics", "exit-codes", "dictionary");
const explanations = docs("ownership", "reliability", "security", "performance", "comparison");
const insides = [...markdownIn("docs/dev"), "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];
const known = new Set([
  "docs/README.md",
  ...tutorials,
  ...howTos,
  ...guides,
  ...references,
  ...explanations,
  ...insides,
]);
const others = markdownIn("docs").filter((file) => !known.has(file));
const examples = ["quickstart", "production", "serve", "serve/kubernetes"].map((name) => `examples/${name}/README.md`);

/** The menu. */
export const sections = [
  {
    text: "Tutorial",
    items: [
      item("README.md", "Overview"),
      item("docs/README.md"),
      ...tutorials.map((file) => item(file)),
      group("Examples", examples),
    ],
  },
  { text: "How-to", items: [...howTos, ...others].map((file) => item(file)) },
  {
    text: "Reference",
    items: [
      item("docs/reference/README.md", "Overview"),
      ...guides.map((file) => item(file)),
      group("Manifests", markdownIn("docs/reference/manifests")),
      ...markdownIn("docs/reference")
        .filter((file) => !file.endsWith("README.md"))
        .map((file) => item(file)),
      group("Commands", markdownIn("docs/commands")),
      ...references.map((file) => item(file)),
    ],
  },
  { text: "Explanation", items: [...explanations.map((file) => item(file)), group("Insides", insides)] },
];
