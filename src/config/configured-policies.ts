import { type Code, codes } from "../diagnostics/codes.js";
import type { DocumentPath } from "../core/document-path.js";
import type { ConfigDocument } from "../generated/config-types.js";
import type { PolicyEffect, PolicyTest } from "../policies/plan-policy.js";
import { cut } from "../core/text.js";
import type { ConfigProblems, ConfiguredPolicy } from "./config.js";
import type { ConfigFile } from "./read-config-file.js";

type PolicyEntries = ConfigDocument["policies"];
type PolicyEntry = NonNullable<PolicyEntries>[number];

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

/** An entry and its place. A class, so that the place is no value of the configuration. */
class PlacedPolicy implements ConfiguredPolicy {
  readonly name: string;
  readonly expression: string;
  readonly message: string;
  readonly effect: PolicyEffect;
  readonly tests: readonly PolicyTest[];
  readonly #path: DocumentPath;
  readonly #file: ConfigFile;

  constructor(entry: PolicyEntry, path: DocumentPath, file: ConfigFile) {
    const { effect = "deny", expression, message, name, tests } = entry;
    this.name = name;
    this.expression = expression;
    this.message = message ?? `its expression is true: ${cut(expression.trim().replaceAll(/\s+/gu, " "), 200)}`;
    this.effect = effect;
    this.tests = tests ?? [];
    this.#path = path;
    this.#file = file;
  }

  problem(message: string): ConfigProblems {
    const path = [...this.#path, "expression"];
    return this.#file.problem(
      path,
      "policy-expression",
      `policy ${this.name}: ${message}`,
      remedyOf("policy-expression"),
    );
  }

  /** @param first the policy that has the name already */
  sameName(first: PlacedPolicy): ConfigProblems {
    const message = `the policy in line ${this.#file.lineOf([...first.#path, "name"])} has the name ${this.name}, too`;
    return this.#file.problem([...this.#path, "name"], "policy-name", message, remedyOf("policy-name"));
  }
}

function remedyOf(code: Code): string {
  return codes[code].remedy;
}

function configured(entries: PolicyEntries, path: DocumentPath, file: ConfigFile): readonly PlacedPolicy[] {
  return (entries ?? []).map((entry, index) => new PlacedPolicy(entry, [...path, index], file));
}

/** @throws ConfigProblems */
function refuseSameNames(policies: readonly PlacedPolicy[]): void {
  const named = new Map<string, PlacedPolicy>();
  for (const policy of policies) {
    const first = named.get(policy.name);
    if (first !== undefined) throw policy.sameName(first);
    named.set(policy.name, policy);
  }
}
