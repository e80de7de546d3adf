// Generated from schemas/ by `npm run generate`. Not to be edited.
/**
 * The version of the manifest format.
 */
export type ApiVersion = "edgewise/v1";
/**
 * The name of the set of resources that this configuration owns. It is part of each resource's marker.
 */
export type Stack = string | null;
/**
 * Files, directories and globs of manifests, relative to this file. Directories are read recursively.
 */
export type Manifests = string[] | null;
/**
 * The address of the service, and how to call it.
 */
export type Api = {
  /**
   * The address of the API: https, or http on this machine. If EDGEWISE_BASE_URL is set too, both must have the same origin.
   */
  baseUrl?: string | null;
  /**
   * The header that carries the version of the API. Live services use their own name. Headers with another meaning (Authorization, Host, Cookie, Content-*, X-Forwarded-* …) are refused.
   */
  versionHeader?: string | null;
  /**
   * The largest number of requests in a minute. If omitted, edgewise slows down only when the service refuses requests (429).
   */
  requestsPerMinute?: number | null;
  timeout?: Duration;
  deadline?: Duration;
  settle?: Duration;
  /**
   * Modules of TLS edges that this service can replace and delete through endpoints of their own, beyond the API specification. Modules not listed here can only be disabled.
   */
  moduleEndpoints?: ("backend" | "ip_restriction")[] | null;
  /**
   * A file that remembers where the pages of lists are, so that the next run can request them in parallel. A path inside the directory of this file. --page-cache overrides it.
   */
  pageCache?: string | null;
} | null;
/**
 * A number and ms, s, m or h.
 */
export type Duration = string | null;
/**
 * Values for ${{ vars.NAME }} in manifests. --var NAME=VALUE overrides them. Don't put secrets here.
 */
export type Variables = {
  [k: string]: unknown | undefined;
} | null;
/**
 * What a plan may do without further confirmation.
 */
export type Guards = {
  /**
   * The largest number of resources that one plan may delete: a number, or a percentage of what the stack owns. Default: the larger of 3 and 25%.
   */
  maxDeletes?: number | string | null;
  /**
   * Addresses whose refusals are lifted, like --allow.
   */
  allow?: Address[] | null;
} | null;
/**
 * Kind and name of a resource, as every output shows them: Kind/name.
 */
export type Address = string;
/**
 * Ids of existing resources by address, like metadata.id in a manifest. Use this for ids that differ between accounts.
 */
export type Adopt = {
  [k: string]: AdoptedId | undefined;
} | null;
/**
 * The id of an existing resource. If no other stack owns it, this stack adopts it instead of creating a new one.
 */
export type AdoptedId = string | null;
/**
 * Former names of this stack. Resources with their markers belong to this stack, and the markers are rewritten.
 */
export type PreviousStacks = StackName[] | null;
/**
 * The name of a set of resources that one configuration owns.
 */
export type StackName = string;
/**
 * Whether apply and destroy take the account's lock before they write, like --lock, so that two of them never write at the same time. A map turns the lock on, too.
 */
export type Lock =
  | boolean
  | {
      settle?: Duration;
    }
  | null;
/**
 * Rules over a plan, written in CEL. A plan that one of them denies is not applied. Policies of an environment are added to those of the file.
 *
 * @maxItems 100
 */
export type Policies =
  | {
      /**
       * The name of the policy, in refusals, warnings and tests: lower case letters, digits and dashes. Unique.
       */
      name: string;
      /**
       * A CEL expression that is true or false. With the variable `change` it is evaluated for each change of the plan; with `plan` alone, once. An expression that fails refuses the plan.
       */
      expression: string;
      /**
       * Why the expression must not be true, and what to do instead. Whoever made the plan sees this text; without it, they see the expression.
       */
      message?: string;
      /**
       * What happens when the expression is true: deny refuses the plan, warn adds a warning.
       */
      effect?: "deny" | "warn";
      /**
       * Plans and the expected effect of the policy on each, for edgewise policy test.
       *
       * @maxItems 100
       */
      tests?:
        | {
            /**
             * A file with a plan as JSON, relative to this file: whole, as edgewise plan --out or -o json writes it, or only the members that matter, beginning with changes.
             */
            plan: string;
            /**
             * deny or warn when the expression must be true for the plan, or for any of its changes; allow when it must be false for all.
             */
            expect: "allow" | "warn" | "deny";
            address?: Address;
          }[]
        | null;
    }[]
  | null;
/**
 * Whom edgewise ci apply and ci drift notify of what they did and found: incoming webhooks of Slack, or any others.
 *
 * @maxItems 10
 */
export type Notify =
  | []
  | [
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      }
    ]
  | [
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      }
    ]
  | [
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      }
    ]
  | [
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      }
    ]
  | [
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      }
    ]
  | [
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      }
    ]
  | [
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      }
    ]
  | [
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      }
    ]
  | [
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      }
    ]
  | [
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      },
      {
        url: Variable;
        /**
         * slack posts a message, json an object with the format edgewise.pipeline-notification/v1.
         */
        type?: "slack" | "json";
        secret?: Variable;
        /**
         * The events that are posted. Default: all of them.
         */
        on?: ("applied" | "failed" | "drift")[] | null;
      }
    ]
  | null;

/**
 * The configuration of one stack: its manifests, the service, and the guards.
 */
export interface ConfigDocument {
  apiVersion: ApiVersion;
  /**
   * Marks this document as a configuration.
   */
  kind: "Config";
  stack?: Stack;
  manifests?: Manifests;
  api?: Api;
  variables?: Variables;
  guards?: Guards;
  adopt?: Adopt;
  previousStacks?: PreviousStacks;
  lock?: Lock;
  policies?: Policies;
  notify?: Notify;
  /**
   * Named overlays. -e/--environment NAME merges one over the rest of the file: maps are merged, policies are added, everything else is replaced.
   */
  environments?: {
    /**
     * The settings that differ in this environment.
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
          lock?: Lock;
          policies?: Policies;
          notify?: Notify;
        }
      | null
      | undefined;
  } | null;
}
/**
 * A variable of the environment.
 */
export interface Variable {
  /**
   * Its name. Variables that begin with EDGEWISE_ are not for this.
   */
  env: string;
}
