import { posix } from "node:path";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { EdgewiseError } from "../../core/errors.js";
import { loadManifests } from "../../manifest/load-manifests.js";
import type { ConfigHints } from "../../manifest/load-options.js";
import type { Manifest } from "../../manifest/manifest.js";
import type { Plan } from "../../plan/plan-format.js";
import { Redactor } from "../../redact.js";
import type { FleetAccount, StackTarget } from "../fleet/fleet.js";
import type { SourceCommit } from "../git/source-reader.js";
import { directoryOf } from "../git/stack-directories.js";
import type { StackPowers, StackSecrets, GrantedSettings } from "./pass-parts.js";

/** What a stack should be: everything that Git and the fleet file say. */
export interface GrantedStack {
  readonly settings: GrantedSettings;
  readonly manifests: readonly Manifest[];
  /** Knows every secret of this stack. */
  readonly redactor: Redactor;
}

/** A stack whose plans can be judged. */
export interface LoadedStack extends GrantedStack {
  /** A plan with what the policies of the stack's configuration say of it. */
  readonly judge: (plan: Plan) => Promise<Plan>;
}

/** Why a stack can't be planned, for people: what, where, and what to do. */
export class StackProblem extends EdgewiseError {
  override readonly name = "StackProblem";

  constructor(message: string) {
    super("manifests", message);
  }
}

export interface LoadInput {
  readonly target: StackTarget;
  readonly account: FleetAccount;
  readonly commit: SourceCommit;
  readonly secrets: StackSecrets;
  /** Milliseconds since 1970: certificates may have expired. */
  readonly now: number;
}

/** How many problems of a configuration or its manifests a status shows. */
const shownProblems = 3;

/**
 * Reads a stack's configuration and manifests from its commit. Nothing comes from the disk but its secrets, and nothing
 * from the environment of the process.
 * @throws StackProblem, or EdgewiseError when the commit can't be read
 */
export async function loadStack(input: LoadInput, powers: StackPowers): Promise<GrantedStack> {
  const { account, commit, secrets, target } = input;
  const tree = await commit.tree(directoryOf(target.config), target.secrets);
  const text = await configOf(input);
  const granted = powers.settingsOf({ target, account, text });
  if ("problems" in granted) throw new StackProblem(listed(granted.problems.map(placed)));
  const { settings } = granted;
  const redactor = secrets.options.redactor ?? new Redactor();
  const { manifests, diagnostics } = await loadManifests({
    tree,
    patterns: settings.patterns,
    patternBase: tree.root,
    variables: settings.variables,
    adopt: settings.adopt,
    stack: settings.marker,
    allowInlineSecrets: false,
    // Nothing is read from the disk but secrets, and none of the operator's: see `stackSecrets`.
    apiKeyFile: null,
    complete: true,
    deep: true,
    plansUnavailable: true,
    now: input.now,
    ...(settings.hints === undefined ? {} : { hints: besideManifests(settings.hints) }),
    ...secrets.options,
    redactor,
  });
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const placedErrors = errors.map((each) => placed(powers.worded(each, target)));
  if (errors.length > 0) throw new StackProblem(listed(placedErrors));
  const refused = powers.refusedOf(target, manifests).map(placed);
  if (refused.length > 0) throw new StackProblem(listed(refused));
  return { settings, manifests, redactor };
}

/** The configuration's file as a path from its own directory, like those of the manifests. */
function besideManifests(hints: ConfigHints): ConfigHints {
  return {
    environmentsWith: (variable) => hints.environmentsWith(variable),
    patternPlace(index) {
      const found = hints.patternPlace(index);
      return found === null ? null : { ...found, place: { ...found.place, file: posix.basename(found.place.file) } };
    },
  };
}

async function configOf({ commit, target }: LoadInput): Promise<string> {
  const text = await commit.readConfig(target.config);
  if (text !== null) return text;
  throw new StackProblem(
    `commit ${commit.commit.slice(0, 12)} holds no configuration ${target.config}; commit it, or remove the stack from the fleet file`,
  );
}

/** `edge/api.yaml:3:7: what is wrong; what to do` */
function placed({ column, file, line, message, remedy }: Diagnostic): string {
  return `${file}:${line}:${column}: ${message}${remedy === null ? "" : ` (${remedy})`}`;
}

function listed(problems: readonly string[]): string {
  const more = problems.length - shownProblems;
  const shown = problems.slice(0, shownProblems).join("; ");
  return more > 0 ? `${shown}; and ${more} more` : shown;
}
