// Generated from schemas/ by `npm run generate`. Not to be edited.
/** By path. */
export const planMembers: { readonly [path: string]: readonly string[] } = {
  "": [
    "format",
    "stack",
    "baseUrl",
    "toolVersion",
    "hash",
    "summary",
    "changes",
    "operations",
    "preconditions",
    "refusals",
    "warnings",
    "rehearsal",
    "owned",
    "claims",
    "unserved",
    "secrets",
    "commit",
    "selection",
    "relaxations",
    "lifted",
    "unavailableSecrets",
    "base",
    "ref"
  ],
  "summary": [
    "create",
    "update",
    "replace",
    "delete",
    "adopt",
    "orphan",
    "unchanged"
  ],
  "changes.*": [
    "address",
    "action",
    "id",
    "source",
    "fields",
    "impact",
    "reason",
    "origin",
    "notes"
  ],
  "changes.*.source": [
    "file",
    "line"
  ],
  "changes.*.fields.*": [
    "path",
    "before",
    "after",
    "sensitive",
    "unknown",
    "unavailable",
    "note",
    "origin",
    "impact",
    "reason"
  ],
  "operations.*": [
    "id",
    "kind",
    "method",
    "path",
    "pathBind",
    "address",
    "resourceId",
    "body",
    "bind",
    "after",
    "waits",
    "why",
    "temporary",
    "handsOver"
  ],
  "operations.*.pathBind": [
    "address",
    "part"
  ],
  "operations.*.bind": [
    "*"
  ],
  "operations.*.bind.*": [
    "address",
    "part",
    "secret"
  ],
  "operations.*.waits": [
    "*"
  ],
  "operations.*.temporary": [
    "restore",
    "takers",
    "claims"
  ],
  "operations.*.temporary.claims": [
    "*"
  ],
  "operations.*.handsOver": [
    "restore",
    "takers",
    "claims"
  ],
  "operations.*.handsOver.claims": [
    "*"
  ],
  "preconditions.*": [
    "address",
    "id",
    "fingerprint",
    "ignore"
  ],
  "refusals.*": [
    "code",
    "address",
    "policy",
    "stacks",
    "message",
    "remedy",
    "origin"
  ],
  "warnings.*": [
    "code",
    "message",
    "address"
  ],
  "rehearsal": [
    "converges",
    "steps"
  ],
  "secrets": [
    "*"
  ],
  "secrets.*": [
    "file",
    "fingerprint"
  ],
  "selection": [
    "only",
    "labels",
    "files",
    "prune"
  ],
  "relaxations": [
    "allow",
    "maxDeletes",
    "allowEmpty",
    "takeOver",
    "destroy"
  ],
  "lifted.*": [
    "code",
    "address",
    "policy"
  ],
  "unavailableSecrets.*": [
    "address",
    "source"
  ]
};
