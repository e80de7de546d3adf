// Generated from schemas/ by `npm run generate`. Not to be edited.
/** By path. */
export const fleetMembers: { readonly [path: string]: readonly string[] } = {
  "": [
    "apiVersion",
    "kind",
    "pause",
    "sources",
    "accounts",
    "stacks",
    "defaults",
    "forgotten",
    "http",
    "notify",
    "history"
  ],
  "sources": [
    "*"
  ],
  "sources.*": [
    "git",
    "ref",
    "pin",
    "accept",
    "poll",
    "credentials",
    "signedBy",
    "hook"
  ],
  "sources.*.credentials": [
    "file",
    "env"
  ],
  "sources.*.hook": [
    "secret"
  ],
  "sources.*.hook.secret": [
    "file",
    "env"
  ],
  "accounts": [
    "*"
  ],
  "accounts.*": [
    "baseUrl",
    "versionHeader",
    "moduleEndpoints",
    "key",
    "requestsPerMinute"
  ],
  "accounts.*.key": [
    "file",
    "env"
  ],
  "stacks": [
    "*"
  ],
  "stacks.*": [
    "source",
    "config",
    "configs",
    "environment",
    "account",
    "stack",
    "secrets",
    "variables",
    "allow",
    "interval",
    "apply",
    "windows",
    "suspend",
    "approvers",
    "brake",
    "deadline"
  ],
  "stacks.*.variables": [
    "*"
  ],
  "stacks.*.allow": [
    "previousStacks",
    "adopt",
    "modulesOf",
    "guards"
  ],
  "stacks.*.apply": [
    "commit",
    "drift"
  ],
  "stacks.*.suspend": [
    "until",
    "reason"
  ],
  "stacks.*.brake": [
    "stacks",
    "deletesPerDay",
    "writers",
    "release"
  ],
  "defaults": [
    "interval",
    "apply",
    "windows",
    "suspend",
    "approvers",
    "brake",
    "deadline"
  ],
  "defaults.apply": [
    "commit",
    "drift"
  ],
  "defaults.suspend": [
    "until",
    "reason"
  ],
  "defaults.brake": [
    "stacks",
    "deletesPerDay",
    "writers",
    "release"
  ],
  "http": [
    "listen",
    "token"
  ],
  "http.token": [
    "file",
    "env"
  ],
  "notify.*": [
    "url",
    "on"
  ],
  "notify.*.url": [
    "file",
    "env"
  ],
  "history": [
    "keep"
  ]
};
