import { codes } from "../diagnostics/codes.js";
import type { DocumentPath } from "../core/document-path.js";
import type { ConfigDocument } from "../generated/config-types.js";
import { cut } from "../core/text.js";
import type { ConfiguredPolicy } from "./config.js";
import type { ConfigFile } from "./checked-file.js";

/** An environment adds policies and can't take any away. Two with one name are an error, in whatever environment. */
export function policiesOf(file: ConfigFile, environment: string | null): readonly ConfiguredPolicy[] {
  const { environments, policies } = file.document;
  const ofFile = added([], policies, ["policies"], file);
  const all = Object.entries(environments ?? {}).map(
    ([name, overlay]) => [name, added(ofFile, overlay?.policies, ["environments", name, "policies"], file)] as const,
  );
  return all.find(([name]) => name === environment)?.[1] ?? ofFile;
}

function added(
  before: readonly ConfiguredPolicy[],
  entries: ConfigDocument["policies"],
  at: DocumentPath,
  file: ConfigFile,
): readonly ConfiguredPolicy[] {
  const all = [...before];
  for (const [index, { effect = "deny", expression, message, name, tests }] of (entries ?? []).entries()) {
    const words = cut(expression.trim().replaceAll(/\s+/gu, " "), 200);
    const policy: ConfiguredPolicy = {
      name,
      expression,
      message: message ?? `its expression is true: ${words}`,
      effect,
      tests: tests ?? [],
      problem(wrong, code = "policy-expression") {
        const path = [...at, index, code === "policy-name" ? "name" : "expression"];
        return file.problems([{ path, code, message: `policy ${name}: ${wrong}`, remedy: codes[code].remedy }]);
      },
    };
    if (all.some((each) => each.name === name)) throw policy.problem("another one has this name", "policy-name");
    all.push(policy);
  }
  return all;
}
