import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/** What declarations import of the names that are made from them. */
const noNames = {
  name: "no-names",
  resolveId: (id) => (id.endsWith("/generated/kind-names.js") ? "no-names" : null),
  load: (id) =>
    id === "no-names"
      ? "export const kindNames = [], listedKinds = [], moduleKinds = [], secretMembers = [], collections = {};"
      : null,
};

/** The exports of a source file. Node 20 can't import TypeScript, so it is bundled in memory. */
export async function importSource(path, plugins = []) {
  const input = fileURLToPath(new URL(`../${path}`, import.meta.url));
  const bundle = await rolldown({ input, platform: "node", plugins });
  const { output } = await bundle.generate({ format: "esm" });
  await bundle.close();
  if (output.length !== 1) throw new Error(`${path} must not import anything dynamically`);
  // A module in a data: URL has no file beside which it could look for anything.
  const code = output[0].code.replaceAll("import.meta.url", JSON.stringify(import.meta.url));
  return import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);
}

export async function registeredKinds() {
  const { kinds } = await importSource("src/kinds/registry.ts", [noNames]);
  for (const [name, { kind }] of Object.entries(kinds)) {
    if (kind !== name) throw new Error(`src/kinds/registry.ts: ${name} is the declaration of ${kind}`);
  }
  return Object.values(kinds);
}
