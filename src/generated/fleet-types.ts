// Generated from schemas/ by `npm run generate`. Not to be edited.
export type ApiVersion = "edgewise/v1";
export type Commit = string | null;
export type Duration = string | null;
export type Secret = {
  file?: string;
  env?: string;
} | null;
export type Id = string;
export type Interval = string | null;
export type Apply = {
  commit?: Autonomy;
  drift?: Autonomy;
} | null;
export type Autonomy = "never" | "none" | "cosmetic" | "routing" | "security" | null;
export type Windows = string[] | null;
export type Suspend = {
  until?: string | null;
  reason: string;
} | null;
export type Approvers = string | null;
export type Brake = {
  stacks?: number | string | null;
  deletesPerDay?: number | null;
  writers?: number | null;
  release?: string[] | null;
} | null;
export type Deadline = string | null;

export interface FleetDocument {
  apiVersion: ApiVersion;
  kind: "Fleet";
  pause?: boolean | null;
  sources: {
    [k: string]: Source | undefined;
  };
  accounts: {
    [k: string]: Account | undefined;
  };
  stacks: {
    [k: string]: Entry | undefined;
  };
  defaults?: {
    interval?: Interval;
    apply?: Apply;
    windows?: Windows;
    suspend?: Suspend;
    approvers?: Approvers;
    brake?: Brake;
    deadline?: Deadline;
  } | null;
  forgotten?: string[] | null;
  http?: {
    listen?: string | null;
    token?: Secret;
  } | null;
  notify?:
    | {
        url: Secret;
        on?: ("drift" | "waiting" | "failed" | "recovered" | "braked" | "orphaned")[] | null;
      }[]
    | null;
  history?: {
    keep?: Duration;
  } | null;
}
export interface Source {
  git: string;
  ref?: string | null;
  pin?: Commit;
  accept?: string[] | null;
  poll?: Duration;
  credentials?: Secret;
  signedBy?: string | null;
  hook?: {
    secret: Secret;
  } | null;
}
export interface Account {
  baseUrl: string;
  versionHeader?: string | null;
  moduleEndpoints?: ("backend" | "ip_restriction")[] | null;
  key: Secret;
  requestsPerMinute?: number | null;
}
export interface Entry {
  source: string;
  config?: string | null;
  configs?: string | null;
  environment?: string | null;
  account: string;
  stack?: string | null;
  secrets?: string | null;
  variables?: {
    [k: string]: unknown | undefined;
  } | null;
  allow?: {
    previousStacks?: string[] | null;
    adopt?: Id[] | null;
    modulesOf?: Id[] | null;
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
