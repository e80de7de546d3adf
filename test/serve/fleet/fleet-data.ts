import type { FleetAccount, FleetEntry, FleetSource, StackPolicy } from "../../../src/serve/fleet/fleet.ts";

export const defaultPolicy: StackPolicy = {
  intervalMs: 600_000,
  apply: { commit: "routing", drift: "cosmetic" },
  windows: [],
  suspend: null,
  approvers: null,
  brake: { stacks: { percent: 20 }, deletesPerDay: 10, writers: 3, release: [] },
  deadlineMs: 900_000,
};

export function sourceWith(changes: Partial<FleetSource> = {}): FleetSource {
  return {
    name: "edge",
    git: "https://git.example.com/edge.git",
    ref: "main",
    pin: null,
    accept: [],
    pollMs: 60_000,
    credentials: null,
    signedBy: null,
    hook: null,
    place: { file: "fleet.yaml", line: 4, column: 3 },
    ...changes,
  };
}

export function entryWith(changes: Partial<FleetEntry> = {}): FleetEntry {
  return {
    name: "prod",
    source: "edge",
    config: "edgewise.yaml",
    environment: null,
    account: "main",
    stack: null,
    secrets: null,
    variables: {},
    allow: { previousStacks: [], adopt: [], modulesOf: [], guards: [] },
    policy: defaultPolicy,
    place: { file: "fleet.yaml", line: 8, column: 3 },
    ...changes,
  };
}

export function accountWith(changes: Partial<FleetAccount> = {}): FleetAccount {
  return {
    name: "main",
    baseUrl: "https://api.example.com",
    versionHeader: "Service-Version",
    moduleEndpoints: [],
    key: { file: "/run/secrets/main" },
    requestsPerMinute: null,
    place: { file: "fleet.yaml", line: 6, column: 3 },
    ...changes,
  };
}
