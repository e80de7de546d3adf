import { codes } from "../diagnostics/codes.js";
import type { DocumentPath } from "../core/document-path.js";
import type { ConfigDocument } from "../generated/config-types.js";
import { cut } from "../core/text.js";
import type { ConfiguredPolicy } from "./config.js";
import type { ConfigFile } from "./read-config-file.js";

type PolicyEntries = ConfigDocument["policies"];

/**
 * The policies of a configuration: those of the file, then those of the environment. An environment adds policies and
 * can't take any away or replace one: what holds for all of them must not be lost by a line elsewhere.
 * @throws ConfigProblems for two policies with one name, in whatever environment
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

function configured(entries: PolicyEntries, at: DocumentPath, file: ConfigFile): readonly ConfiguredPolicy[] {
  return (entries ?? []).map(({ effect = "deny", expression, message, name, tests }, index) => ({
    name,
    expression,
    message: message ?? `its expression is true: ${cut(expression.trim().replaceAll(/\s+/gu, " "), 200)}`,
    effect,
    tests: tests ?? [],
    problem: (words, code = "policy-expression") =>
      file.problem(
        [...at, index, code === "policy-name" ? "name" : "expression"],
        code,
        `policy ${name}: ${words}`,
        codes[code].remedy,
      ),
  }));
}

/** @throws ConfigProblems */
function refuseSameNames(policies: readonly ConfiguredPolicy[]): void {
  const names = new Set<string>();
  for (const policy of policies) {
    if (names.has(policy.name)) throw policy.problem("another one has this name", "policy-name");
    names.add(policy.name);
  }
}
