import type { LockConfig } from "../../config/config.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import type { Json } from "../../core/json.js";
import type { Live } from "../../live/live.js";
import type { ConfigHints, LoadOptions } from "../../manifest/load-options.js";
import type { Manifest } from "../../manifest/manifest.js";
import type { MaxDeletes, PlanOptions } from "../../plan/options.js";
import type { EvaluatePolicies } from "../../policies/judge-plan.js";
import type { Policy } from "../../policies/plan-policy.js";
import type { FleetAccount, StackTarget } from "../fleet/fleet.js";

/** What a pass leaves to other parts of the loop: where the line between operator and repository runs. */
export interface PassParts {
  readonly powers: StackPowers;
  /** Absent = `evaluateElsewhere`. */
  readonly evaluate?: EvaluatePolicies | undefined;
}

/** What a stack may do, as the fleet file allows it and its configuration asks for it. */
export interface GrantedSettings {
  /** The name of the stack in markers. */
  readonly marker: string;
  readonly previousStacks: readonly string[];
  /** Files, directories and globs, relative to the configuration's directory. */
  readonly patterns: readonly string[];
  readonly variables: { readonly [name: string]: Json };
  /** Ids by address. */
  readonly adopt: { readonly [address: string]: string };
  readonly guards: { readonly maxDeletes: MaxDeletes | null; readonly allow: readonly string[] };
  readonly lock: LockConfig;
  readonly policies: readonly Policy[];
  readonly moduleEndpoints: readonly string[];
  /** What messages say about the configuration. Its file is a path in the source. */
  readonly hints?: ConfigHints;
}

/** The secrets that a stack sees. */
export interface StackSecrets {
  /** How its manifests are loaded with them, and with nothing of the process. */
  readonly options: Pick<LoadOptions, "env"> & Partial<LoadOptions>;
  /** Differs when any of the secrets does. Never leaves the process. */
  readonly stamp: string;
}

/** The line between what the operator grants and what a repository wishes. */
export interface StackPowers {
  /** The settings that a configuration's text gives a stack, or what is wrong with it. Files of problems are paths in the source. */
  settingsOf(request: {
    readonly target: StackTarget;
    readonly account: FleetAccount;
    readonly text: string;
  }): { readonly settings: GrantedSettings } | { readonly problems: readonly Diagnostic[] };
  /** What the manifests ask for and the fleet file does not allow; empty = nothing. Files are paths in the source, too. */
  refusedOf(target: StackTarget, manifests: readonly Manifest[]): readonly Diagnostic[];
  /**
   * A problem of a manifest, whose file is a path from its configuration, with what to do about it under `serve`, where
   * there are no flags and no environment. Its file becomes a path in the source.
   */
  worded(problem: Diagnostic, target: StackTarget): Diagnostic;
  secretsOf(target: StackTarget): Promise<StackSecrets>;
}

/** What a plan is made from. */
export interface PlanSides {
  readonly desired: readonly Manifest[];
  readonly live: Live;
  readonly options: PlanOptions;
}
