import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const registry = fileURLToPath(new URL("../src/kinds/registry.ts", import.meta.url));

/**
 * The declarations of src/kinds/registry.ts, in its order. Node 20 can't import TypeScript, so the registry is bundled
 * in memory. Types are not checked here: the registry may hold a kind whose name is generated only now.
 */
export async function registeredKinds() {
  const bundle = await rolldown({ input: registry, platform: "node" });
  const { output } = await bundle.generate({ format: "esm" });
  await bundle.close();
  if (output.length !== 1) throw new Error("src/kinds/registry.ts must not import anything dynamically");
  // A module in a data: URL has no file beside which it could look for anything.
  const code = output[0].code.replaceAll("import.meta.url", JSON.stringify(import.meta.url));
  const { kinds } = await import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);
  for (const [name, { kind }] of Object.entries(kinds)) {
    if (kind !== name) throw new Error(`src/kinds/registry.ts: ${name} is the declaration of ${kind}`);
  }
  return Object.values(kinds);
}
