// Generated from schemas/ by `npm run generate`. Not to be edited.
/**
 * The version of the manifest format.
 */
export type ApiVersion = "edgewise/v1";
/**
 * Names the set of resources that this configuration owns. It stands in the marker of each.
 */
export type Stack = string | null;
/**
 * Files, directories and globs of manifests, relative to this file. A directory is read with all that is below it.
 */
export type Manifests = string[] | null;
/**
 * Where the service is and how it is called.
 */
export type Api = {
  /**
   * Where the API is: https, or http on this machine. When EDGEWISE_BASE_URL is set too, both must have the same origin.
   */
  baseUrl?: string | null;
  /**
   * The header that carries the version of the API. Live services use a name of their own. Headers that mean something else (Authorization, Host, Cookie, Content-*, X-Forwarded-* …) are refused.
   */
  versionHeader?: string | null;
  /**
   * How many requests are sent in a minute at most. Not named: no ceiling but what the service's own refusals teach.
   */
  requestsPerMinute?: number | null;
  timeout?: Duration;
  deadline?: Duration;
  /**
   * Modules of TLS edges that this service lets replace and delete one by one although the specification has no such endpoints. Without it they can only be disabled.
   */
  moduleEndpoints?: ("backend" | "ip_restriction")[] | null;
} | null;
/**
 * A number and ms, s, m or h.
 */
export type Duration = string | null;
/**
 * Values for ${{ vars.NAME }} in manifests. --var NAME=VALUE beats them. Not the place for secrets.
 */
export type Variables = {
  [k: string]: unknown | undefined;
} | null;
/**
 * What a plan may do without being asked again.
 */
export type Guards = {
  /**
   * How many resources one plan may delete: a number, or a percentage of what the stack owns. Not named: the larger of 3 and 25%.
   */
  maxDeletes?: number | string | null;
  /**
   * Addresses of resources that guards let pass, like --allow: a refusal that names one of them is lifted.
   */
  allow?: Address[] | null;
} | null;
/**
 * Kind and name of a resource, as every output shows it.
 */
export type Address = string;
/**
 * Ids of existing resources by address, like metadata.id in a manifest: for ids that differ between accounts.
 */
export type Adopt = {
  [k: string]: AdoptedId | undefined;
} | null;
/**
 * The id of an existing resource. When nothing else owns it, the stack adopts it instead of making a new one.
 */
export type AdoptedId = string | null;
/**
 * Names that this stack had before: markers of theirs count as its own and are rewritten.
 */
export type PreviousStacks = StackName[] | null;
/**
 * Name of a set of resources that one configuration owns.
 */
export type StackName = string;

/**
 * The configuration of one stack: its manifests, where the service is, and what may happen to it.
 */
export interface ConfigDocument {
  apiVersion: ApiVersion;
  /**
   * Says that this is a configuration.
   */
  kind: "Config";
  stack?: Stack;
  manifests?: Manifests;
  api?: Api;
  variables?: Variables;
  guards?: Guards;
  adopt?: Adopt;
  previousStacks?: PreviousStacks;
  /**
   * Parts of a configuration by name. -e/--environment NAME lays one over the rest: maps are merged, everything else is replaced.
   */
  environments?: {
    /**
     * What differs in this environment.
     */
    [k: string]:
      | {
          stack?: Stack;
          manifests?: Manifests;
          api?: Api;
          variables?: Variables;
          guards?: Guards;
          adopt?: Adopt;
          previousStacks?: PreviousStacks;
        }
      | null
      | undefined;
  } | null;
}
