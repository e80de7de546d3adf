import type { DocumentPath } from "../document-path.js";
import type { ConfigDocument } from "../generated/config-types.js";
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
  refuseSameNames(ofFile, file);
  let chosen = ofFile;
  for (const [name, overlay] of Object.entries(environments ?? {})) {
    const all = [...ofFile, ...configured(overlay?.policies, ["environments", name, "policies"], file)];
    refuseSameNames(all, file);
    if (name === environment) chosen = all;
  }
  return chosen.map(({ policy }) => policy);
}

interface PlacedPolicy {
  readonly policy: ConfiguredPolicy;
  readonly path: DocumentPath;
}

function configured(entries: PolicyEntries, path: DocumentPath, file: ConfigFile): readonly PlacedPolicy[] {
  return (entries ?? []).map(({ effect = "deny", expression, message, name, tests }, index) => {
    const place = [...path, index];
    const policy = {
      name,
      expression,
      message,
      effect,
      tests: tests ?? [],
      problem: (what: string) =>
        file.problem(
          [...place, "expression"],
          "policy-expression",
          `policy ${name}: ${what}`,
          "Correct the expression; `edgewise explain Config.policies.expression` describes it.",
        ),
    };
    return { policy, path: place };
  });
}

function refuseSameNames(placed: readonly PlacedPolicy[], file: ConfigFile): void {
  const names = new Set<string>();
  for (const { policy, path } of placed) {
    const { name } = policy;
    if (names.has(name)) {
      const message = `there are two policies with the name ${name}`;
      throw file.problem([...path, "name"], "policy-name", message, "Give each policy a name of its own.");
    }
    names.add(name);
  }
}
