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
 * Where a secret stands: a file, or an environment variable of `serve`.
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
 * How often a stack is looked at without reason: a number and ms, s, m, h or d.
 */
export type Interval = string | null;
/**
 * The worst impact that is carried out unasked. What is irreversible never is.
 */
export type Apply = {
  commit?: Autonomy;
  drift?: Autonomy;
} | null;
/**
 * The worst impact that is carried out unasked.
 */
export type Autonomy = "never" | "none" | "cosmetic" | "routing" | "security" | null;
/**
 * When it may write: days, hours and a time zone. Outside of them it looks, plans and waits. Default: always.
 */
export type Windows = string[] | null;
/**
 * Looks, and never writes.
 */
export type Suspend = {
  /**
   * When it ends, as RFC 3339. Default: when this is removed.
   */
  until?: string | null;
  /**
   * Why, for everybody who looks.
   */
  reason: string;
} | null;
/**
 * A file of allowed signers in Git's ssh format, relative to this file: their signed tags approve. Without one, nothing can be approved.
 */
export type Approvers = string | null;
/**
 * When unasked writes stop, because something larger is wrong.
 */
export type Brake = {
  /**
   * More stacks of one account than this (at least 2) that want a heal within one interval stop its unasked writes: a number, or a percentage of its stacks.
   */
  stacks?: number | string | null;
  /**
   * The most resources of a stack that are deleted within 24 hours.
   */
  deletesPerDay?: number | null;
  /**
   * How often one field of one resource is put back within an hour before it is left to whoever else writes it.
   */
  writers?: number | null;
  /**
   * Ids of brakes that the operator releases.
   */
  release?: string[] | null;
} | null;
/**
 * The time limit of one pass of one stack: a number and ms, s, m, h or d. Then nothing new is begun.
 */
export type Deadline = string | null;

/**
 * What `edgewise serve` keeps: the repositories that it follows, the accounts that it writes to, the stacks, and how much it may do by itself. The operator's file: no repository can change what stands here.
 */
export interface FleetDocument {
  apiVersion: ApiVersion;
  /**
   * Marks this document as a fleet.
   */
  kind: "Fleet";
  /**
   * Whether everything only looks and nothing is written.
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
   * The stacks that are kept, by name. An entry with `configs` stands for one stack of each configuration that matches.
   */
  stacks: {
    [k: string]: Entry | undefined;
  };
  /**
   * How stacks are kept whose entry says nothing else. Maps are merged, everything else is replaced.
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
   * Where the status is served.
   */
  http?: {
    /**
     * Host and port. Off this machine (any host but 127.0.0.1, [::1] and localhost) a token is required.
     */
    listen?: string | null;
    token?: Secret;
  } | null;
  /**
   * Where to post what happens, as JSON.
   */
  notify?:
    | {
        url: Secret;
        /**
         * What is told. Default: everything.
         */
        on?: ("drift" | "waiting" | "failed" | "recovered" | "braked" | "orphaned")[] | null;
      }[]
    | null;
  /**
   * What is kept of the past.
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
   * A file of allowed signers in Git's ssh format. A tip that none of them signed is not followed.
   */
  signedBy?: string | null;
  /**
   * Turns on POST /hooks/NAME, which means: look now.
   */
  hook?: {
    secret: Secret;
  } | null;
}
/**
 * An account of the service. Its address and its key come from here alone.
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
   * The name of the stack in the markers of its resources; * stands for what `configs` matched. It counts, whatever the configuration says. Default: what the configuration says.
   */
  stack?: string | null;
  /**
   * The directory of its secrets: {env: NAME} and {file: NAME} in its manifests are files in it; * stands for what `configs` matched. Without one, the stack sees no secret.
   */
  secrets?: string | null;
  /**
   * Values for ${{ vars.NAME }} in manifests. They beat those of the configuration. Don't put secrets here.
   */
  variables?: {
    [k: string]: unknown | undefined;
  } | null;
  /**
   * What the repository may ask for. Default: nothing of this.
   */
  allow?: {
    /**
     * Former names of the stack, which `previousStacks` of the configuration may have.
     */
    previousStacks?: string[] | null;
    /**
     * Ids of existing resources, which `adopt` of the configuration and `metadata.id` may have.
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
