// part of npm run test:slow: proves that no regular expression of the program takes more than linear time.
// It finds the literals in src/ with a parser, and the `pattern`s of the schemas, and checks each with recheck. There
// are no exceptions: write a loop for a pattern that recheck can't prove. `new RegExp` is refused, because its pattern
// is not known before it runs.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { check } from "recheck";
import { parseAst } from "rolldown/parseAst";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** @type {Map<string, {source: string, flags: string, places: string[]}>} */
const patterns = new Map();
const problems = [];

function add(source, flags, place) {
  const key = `/${source}/${flags}`;
  const known = patterns.get(key);
  if (known === undefined) patterns.set(key, { source, flags, places: [place] });
  else known.places.push(place);
}

function placeIn(file, text, offset) {
  return `${file}:${text.slice(0, offset).split("\n").length}`;
}

function* nodesIn(tree) {
  const open = [tree];
  while (open.length > 0) {
    const node = open.pop();
    if (node === null || typeof node !== "object") continue;
    if (typeof node.type === "string") yield node;
    open.push(...Object.values(node));
  }
}

function isRegExp(node) {
  return node.type === "Identifier" && node.name === "RegExp";
}

function readSource(file) {
  const text = readFileSync(join(root, file), "utf8");
  for (const node of nodesIn(parseAst(text, { lang: "ts" }, file))) {
    if (node.type === "Literal" && node.regex)
      add(node.regex.pattern, node.regex.flags, placeIn(file, text, node.start));
    if ((node.type === "NewExpression" || node.type === "CallExpression") && isRegExp(node.callee))
      problems.push(
        `${placeIn(file, text, node.start)}: a RegExp made at run time can't be checked; write a literal or a loop`,
      );
  }
}

/** The patterns of a JSON Schema; they are compiled with the flag u. */
function readSchema(file) {
  const visit = (value) => {
    if (value === null || typeof value !== "object") return;
    if (typeof value.pattern === "string") add(value.pattern, "u", file);
    if (typeof value.patternProperties === "object")
      for (const pattern of Object.keys(value.patternProperties)) add(pattern, "u", file);
    Object.values(value).forEach(visit);
  };
  visit(JSON.parse(readFileSync(join(root, file), "utf8")));
}

for (const name of readdirSync(join(root, "src"), { recursive: true }).map(String))
  if (name.endsWith(".ts") && !name.startsWith("generated")) readSource(join("src", name));
for (const name of readdirSync(join(root, "schemas"))) if (name.endsWith(".json")) readSchema(join("schemas", name));

/** Steps are counted, and no time: on a busy machine every pattern is slow. */
const limits = { timeout: null, attackTimeout: null, incubationTimeout: null, randomSeed: 1 };

for (const [pattern, { source, flags, places }] of patterns) {
  // Each starts a program.
  // oxlint-disable-next-line no-await-in-loop
  const { status, complexity, error } = await check(source, flags, limits);
  if (status === "safe") continue;
  const why = status === "vulnerable" ? complexity.summary : `recheck can't tell (${error.kind})`;
  problems.push(`${places.join(", ")}: ${pattern} takes more than linear time: ${why}; write it as a loop`);
}

for (const problem of problems) console.error(problem);
console.log(`${patterns.size} patterns checked, ${problems.length} refused`);
if (problems.length > 0) process.exitCode = 1;
