// Generated from schemas/ by `npm run generate`. Not to be edited.
/** By path. */
export const configMembers: { readonly [path: string]: readonly string[] } = {
  "": [
    "apiVersion",
    "kind",
    "stack",
    "manifests",
    "api",
    "variables",
    "guards",
    "adopt",
    "previousStacks",
    "lock",
    "policies",
    "environments"
  ],
  "api": [
    "baseUrl",
    "versionHeader",
    "requestsPerMinute",
    "timeout",
    "deadline",
    "settle",
    "moduleEndpoints",
    "pageCache"
  ],
  "variables": [
    "*"
  ],
  "guards": [
    "maxDeletes",
    "allow"
  ],
  "adopt": [
    "*"
  ],
  "lock": [
    "settle"
  ],
  "policies.*": [
    "name",
    "expression",
    "message",
    "effect",
    "tests"
  ],
  "policies.*.tests.*": [
    "plan",
    "expect",
    "address"
  ],
  "environments": [
    "*"
  ],
  "environments.*": [
    "stack",
    "manifests",
    "api",
    "variables",
    "guards",
    "adopt",
    "previousStacks",
    "lock",
    "policies"
  ],
  "environments.*.api": [
    "baseUrl",
    "versionHeader",
    "requestsPerMinute",
    "timeout",
    "deadline",
    "settle",
    "moduleEndpoints",
    "pageCache"
  ],
  "environments.*.variables": [
    "*"
  ],
  "environments.*.guards": [
    "maxDeletes",
    "allow"
  ],
  "environments.*.adopt": [
    "*"
  ],
  "environments.*.lock": [
    "settle"
  ],
  "environments.*.policies.*": [
    "name",
    "expression",
    "message",
    "effect",
    "tests"
  ],
  "environments.*.policies.*.tests.*": [
    "plan",
    "expect",
    "address"
  ]
};
