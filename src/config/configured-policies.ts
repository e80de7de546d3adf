import { codes } from "../diagnostics/codes.js";
import type { DocumentPath } from "../core/document-path.js";
import type { ConfigDocument } from "../generated/config-types.js";
import { cut } from "../core/text.js";
import type { ConfiguredPolicy } from "./config.js";
import type { ConfigFile } from "./checked-file.js";

/**
 * The policies of a configuration: those of the file, then those of the environment, which can't take any away: what
 * holds for all must not be lost by a line elsewhere. Two with one name are an error, in whatever environment.
 */
export function policiesOf(file: ConfigFile, environment: string | null): readonly ConfiguredPolicy[] {
  const { environments, policies } = file.document;
  const ofFile = configured(policies, ["policies"], file);
  refuseSameNames(ofFile);
  let chosen = ofFile;
  for (const [name, overlay] of Object.entries(environments ?? {})) {
    const all = [...ofFile, ...configured(overlay?.policies, ["environments", name, "policies"], file)];
    refuseSameNames(all);
    if (name === environment) chosen = all;
  }
  return chosen;
}

function configured(
  entries: ConfigDocument["policies"],
  at: DocumentPath,
  file: ConfigFile,
): readonly ConfiguredPolicy[] {
  return (entries ?? []).map(({ effect = "deny", expression, message, name, tests }, index) => ({
    name,
    expression,
    message: message ?? `its expression is true: ${cut(expression.trim().replaceAll(/\s+/gu, " "), 200)}`,
    effect,
    tests: tests ?? [],
    problem(words, code = "policy-expression") {
      const path = [...at, index, code === "policy-name" ? "name" : "expression"];
      return file.problems([{ path, code, message: `policy ${name}: ${words}`, remedy: codes[code].remedy }]);
    },
  }));
}

function refuseSameNames(policies: readonly ConfiguredPolicy[]): void {
  const names = new Set<string>();
  for (const policy of policies) {
    if (names.has(policy.name)) throw policy.problem("another one has this name", "policy-name");
    names.add(policy.name);
  }
}
