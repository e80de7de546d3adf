// Generated from schemas/ by `npm run generate`. Not to be edited.
/** What settings are when the configuration leaves them out; durations in milliseconds. */
export const configDefaults = {
  "api": {
    "versionHeader": "Service-Version",
    "timeout": 30000,
    "deadline": 1800000,
    "settle": 30000
  },
  "lock": {
    "settle": 2000
  }
} as const;
