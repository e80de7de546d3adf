// Generated from schemas/ by `npm run generate`. Not to be edited.
export type ApiVersion = "edgewise/v1";
export type Stack = string | null;
export type Manifests = string[] | null;
export type Api = {
  baseUrl?: string | null;
  versionHeader?: string | null;
  requestsPerMinute?: number | null;
  timeout?: Duration;
  deadline?: Duration;
  settle?: Duration;
  moduleEndpoints?: ("backend" | "ip_restriction")[] | null;
  pageCache?: string | null;
} | null;
export type Duration = string | null;
export type Variables = {
  [k: string]: unknown | undefined;
} | null;
export type Guards = {
  maxDeletes?: number | string | null;
  allow?: Address[] | null;
} | null;
export type Address = string;
export type Adopt = {
  [k: string]: AdoptedId | undefined;
} | null;
export type AdoptedId = string | null;
export type PreviousStacks = StackName[] | null;
export type StackName = string;
export type Lock =
  | boolean
  | {
      settle?: Duration;
    }
  | null;
export type Policies =
  | {
      name: string;
      expression: string;
      message?: string;
      effect?: "deny" | "warn";
      tests?:
        | {
            plan: string;
            expect: "allow" | "warn" | "deny";
            address?: Address;
          }[]
        | null;
    }[]
  | null;
export type Notify =
  | {
      url: Variable;
      type?: "slack" | "json";
      secret?: Variable;
      on?: ("applied" | "failed" | "drift")[] | null;
    }[]
  | null;
export type Drift = {
  tolerate?:
    | {
        address: Address;
        path: string;
        until: string;
        reason: string;
      }[]
    | null;
} | null;

export interface ConfigDocument {
  apiVersion: ApiVersion;
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
  drift?: Drift;
  environments?: {
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
          drift?: Drift;
        }
      | null
      | undefined;
  } | null;
}
export interface Variable {
  env: string;
}
