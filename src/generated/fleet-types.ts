// Generated from schemas/ by `npm run generate`. Not to be edited.
/**
 * The version of the manifest format.
 */
export type ApiVersion = "edgewise/v1";
/**
 * The full id of a commit.
 */
export type Commit = string | null;
/**
 * A number and ms, s, m, h or d.
 */
export type Duration = string | null;
/**
 * Where a secret is: a file, or an environment variable of `serve`.
 */
export type Secret = {
  /**
   * A file that holds nothing else, relative to this file. It is read again whenever it is needed.
   */
  file?: string;
  /**
   * The name of a variable in the environment of `serve`.
   */
  env?: string;
} | null;
/**
 * An id that the service assigned.
 */
export type Id = string;
/**
 * How often serve looks at a stack when nothing else makes it look: a number and ms, s, m, h or d, above 0 and at most 7d.
 */
export type Interval = string | null;
/**
 * The worst impact that serve applies without an approval. Irreversible changes always need one.
 */
export type Apply = {
  commit?: Autonomy;
  drift?: Autonomy;
} | null;
/**
 * The worst impact that serve applies without an approval.
 */
export type Autonomy = "never" | "none" | "cosmetic" | "routing" | "security" | null;
/**
 * When serve may write: days, hours and a time zone. Outside of them it looks, plans and waits. Default: always.
 */
export type Windows = string[] | null;
/**
 * serve only looks at the stack, and writes nothing.
 */
export type Suspend = {
  /**
   * When the suspension ends, as RFC 3339. Default: when you remove it.
   */
  until?: string | null;
  /**
   * The reason, which the status shows.
   */
  reason: string;
} | null;
/**
 * A file of allowed signers in Git's ssh format, relative to this file: their signed tags approve. Without one, nothing can be approved.
 */
export type Approvers = string | null;
/**
 * Limits that stop writes without approval, because something larger may be wrong.
 */
export type Brake = {
  /**
   * If more stacks of one account than this (at least 2) drift within one interval, writes without approval stop in that account: a number, or a percentage of its stacks.
   */
  stacks?: number | string | null;
  /**
   * The most resources of a stack that are deleted within 24 hours.
   */
  deletesPerDay?: number | null;
  /**
   * How often one field of one resource is put back within an hour. After that, serve leaves it to whoever else writes it.
   */
  writers?: number | null;
  /**
   * Ids of brakes that the operator releases.
   */
  release?: string[] | null;
} | null;
/**
 * The time limit of one pass over one stack: a number and ms, s, m, h or d, above 0 and at most 24h. After it, the pass sends no new operation.
 */
export type Deadline = string | null;

/**
 * What `edgewise serve` works on: the repositories that it follows, the accounts that it writes to, the stacks, and how much it may do by itself. This is the operator's file: no repository can change it.
 */
export interface FleetDocument {
  apiVersion: ApiVersion;
  /**
   * Marks this document as a fleet.
   */
  kind: "Fleet";
  /**
   * true stops all writes in all stacks: serve only looks.
   */
  pause?: boolean | null;
  /**
   * The Git repositories that are followed, by name.
   */
  sources: {
    [k: string]: Source | undefined;
  };
  /**
   * The accounts of the service, by name.
   */
  accounts: {
    [k: string]: Account | undefined;
  };
  /**
   * The stacks that serve reconciles, by name. An entry with `configs` stands for one stack of each configuration that matches.
   */
  stacks: {
    [k: string]: Entry | undefined;
  };
  /**
   * Settings of all stacks whose entries don't name them. Maps are merged, everything else is replaced.
   */
  defaults?: {
    interval?: Interval;
    apply?: Apply;
    windows?: Windows;
    suspend?: Suspend;
    approvers?: Approvers;
    brake?: Brake;
    deadline?: Deadline;
  } | null;
  /**
   * Names of stacks that vanished on purpose: they are no longer shown as orphaned. Nothing of them is deleted.
   */
  forgotten?: string[] | null;
  /**
   * Where serve answers over HTTP: status page, API, metrics and webhooks.
   */
  http?: {
    /**
     * Host and port. Off this machine (any host but 127.0.0.1, [::1] and localhost) a token is required.
     */
    listen?: string | null;
    token?: Secret;
  } | null;
  /**
   * Where to post events, as JSON.
   */
  notify?:
    | {
        url: Secret;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("drift" | "waiting" | "failed" | "recovered" | "braked" | "orphaned")[] | null;
      }[]
    | null;
  /**
   * How much of the past is kept.
   */
  history?: {
    keep?: Duration;
  } | null;
}
/**
 * A Git repository that is followed.
 */
export interface Source {
  /**
   * A URL (https, ssh, file), or a path, relative to this file.
   */
  git: string;
  /**
   * The branch or tag that is followed.
   */
  ref?: string | null;
  pin?: Commit;
  /**
   * Full ids of tips that are followed although they do not descend from the last followed commit.
   */
  accept?: string[] | null;
  poll?: Duration;
  credentials?: Secret;
  /**
   * A file of allowed signers in Git's ssh format. A tip is followed only when each commit of its first parents since the last followed one that touches a stack, and each merge, is signed by one of them; for a stack that is new, the last commit that touches its directory, and each merge after it.
   */
  signedBy?: string | null;
  /**
   * Turns on POST /hooks/NAME, which makes serve look at once.
   */
  hook?: {
    secret: Secret;
  } | null;
}
/**
 * An account of the service. Its address and its key come from this file only.
 */
export interface Account {
  /**
   * The address of the API: https, or http on this machine.
   */
  baseUrl: string;
  /**
   * The header that carries the version of the API. Live services use their own name.
   */
  versionHeader?: string | null;
  /**
   * Modules of TLS edges that this service can replace and delete through endpoints of their own, beyond the API specification. Modules not listed here can only be disabled.
   */
  moduleEndpoints?: ("backend" | "ip_restriction")[] | null;
  key: Secret;
  /**
   * The largest number of requests in a minute, shared by all stacks of the account. If omitted, edgewise slows down only when the service refuses requests (429).
   */
  requestsPerMinute?: number | null;
}
/**
 * A stack, or with `configs` one stack of each configuration that matches.
 */
export interface Entry {
  /**
   * The name of a source.
   */
  source: string;
  /**
   * The path of the configuration in the source.
   */
  config?: string | null;
  /**
   * A path with one *, which stands for a part of a name without /. Each match is a stack, named <this entry>/<what * matched>.
   */
  configs?: string | null;
  /**
   * The environment of the configuration.
   */
  environment?: string | null;
  /**
   * The name of an account.
   */
  account: string;
  /**
   * The name of the stack in the markers of its resources; * stands for what `configs` matched. It overrides the configuration's stack, which is the default.
   */
  stack?: string | null;
  /**
   * The directory of its secrets: {env: NAME} and {file: NAME} in its manifests are files in it; * stands for what `configs` matched. Without one, the stack sees no secret.
   */
  secrets?: string | null;
  /**
   * Values for ${{ vars.NAME }} in manifests. They override those of the configuration. Don't put secrets here.
   */
  variables?: {
    [k: string]: unknown | undefined;
  } | null;
  /**
   * What the repository's files may ask for. Default: nothing of this.
   */
  allow?: {
    /**
     * Former names of the stack that `previousStacks` in the configuration may name.
     */
    previousStacks?: string[] | null;
    /**
     * Ids of existing resources that `adopt` in the configuration and `metadata.id` in manifests may name.
     */
    adopt?: Id[] | null;
    /**
     * Ids of HTTPS edges whose modules, and those of their routes, the manifests may manage.
     */
    modulesOf?: Id[] | null;
    /**
     * Guards that the configuration may relax.
     */
    guards?: ("maxDeletes" | "allow")[] | null;
  } | null;
  interval?: Interval;
  apply?: Apply;
  windows?: Windows;
  suspend?: Suspend;
  approvers?: Approvers;
  brake?: Brake;
  deadline?: Deadline;
}
