// Writes outputs of the demo into documents, between "<!-- output: NAME -->" and "<!-- /output -->": the output of the demo
// step NAME, or, for "help COMMAND", the command's help. Between "<!-- source: PATH -->" and "<!-- /source -->" it writes the file of the
// repository with this path. scripts/pages.mjs runs the commands of all other blocks.
//   node scripts/docs.mjs           writes
//   node scripts/docs.mjs --check   fails if a document is out of date
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { furtherSteps, steps } from "./demo-steps.mjs";
import { shownIds, stableText } from "./pages/stable-text.mjs";
import { root } from "./sandbox.mjs";
import { openSession } from "./session.mjs";

const block = /(<!-- output: (.+?) -->\n)[\s\S]*?(<!-- \/output -->)/g;
const sourceBlock = /(<!-- source: (\S+?\.(\w+)) -->\n)[\s\S]*?(<!-- \/source -->)/g;

/** Every block that documents can show, by name. */
async function outputs(names) {
  const session = await openSession();
  const found = new Map();
  const ids = shownIds();
  const shown = (text) => ids.show(stableText(text).replace(/http:\/\/127\.0\.0\.1:\d+/g, "http://127.0.0.1:8080"));
  try {
    for (const step of [...steps, ...furtherSteps]) {
      const { command, code, output } = await step.run(session);
      if (code !== step.exit) throw new Error(`step ${step.name}: exit code ${code}, expected ${step.exit}\n${output}`);
      found.set(step.name, shown(`$ ${command}\n${output}`.trimEnd()));
    }
    for (const name of names) {
      if (!name.startsWith("help")) continue;
      const args = [...name.split(" ").slice(1), "--help"];
      const { code, output } = session.run(...args);
      if (code !== 0) throw new Error(`${args.join(" ")}: exit code ${code}\n${output}`);
      found.set(name, `$ edgewise ${args.join(" ")}\n${output.trimEnd()}`);
    }
  } finally {
    session.close();
  }
  return found;
}

const documents = [
  "README.md",
  ...readdirSync(join(root, "docs"), { recursive: true })
    .filter((name) => !name.startsWith("site"))
    .map((name) => join("docs", name)),
]
  .filter((name) => name.endsWith(".md"))
  .map((name) => ({ name, text: readFileSync(join(root, name), "utf8") }));
const names = new Set(documents.flatMap(({ text }) => [...text.matchAll(block)].map((match) => match[2])));
const found = await outputs(names);

let stale = 0;
for (const { name, text } of documents) {
  const withOutputs = text.replace(block, (_, begin, wanted, end) => {
    const output = found.get(wanted);
    if (output === undefined) throw new Error(`${name}: no step has the name "${wanted}"`);
    return `${begin}\`\`\`console\n${output}\n\`\`\`\n${end}`;
  });
  const fresh = withOutputs.replace(sourceBlock, (_, begin, path, language, end) => {
    const source = readFileSync(join(root, path), "utf8").trimEnd();
    return `${begin}\`\`\`${language}\n${source}\n\`\`\`\n${end}`;
  });
  if (fresh === text) continue;
  stale += 1;
  if (process.argv.includes("--check")) console.error(`${name} is out of date: run npm run docs`);
  else writeFileSync(join(root, name), fresh);
}
if (process.argv.includes("--check") && stale > 0) process.exitCode = 1;
