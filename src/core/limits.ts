const MiB = 1024 * 1024;

/** Of what a pull request or a service can make larger. `docs/reliability.md` has the same numbers. */
export const limits = {
  fileBytes: 8 * MiB,
  configBytes: MiB,
  secretBytes: 256 * 1024,
  /** Of a run: manifests, files each time that they are named, variables, and secrets tenfold. */
  inputBytes: 256 * MiB,
  documents: 200_000,
  directoryEntries: 1_000_000,
  patternLength: 1_000,
  /** Once every `{a,b}` is written out. */
  globs: 1_000,
  /** The lengths of a pattern and a path multiplied, summed up. */
  globSteps: 10_000_000_000,
  /** Readers recurse. */
  depth: 100,
  /** Of one YAML document, whose syntax tree is held in memory. */
  yamlTokens: 500_000,
  /** That aliases copy into one document, of texts one for every 100 characters. */
  aliasedNodes: 10_000,
  yamlProblems: 10,
  /** `emptyPages`: in a row. */
  listPages: 10_000,
  emptyPages: 100,
  listResources: 1_000_000,
  listBytes: 256 * MiB,
  pageAddress: 500,
  pageCacheBytes: 8 * MiB,
  stateBytes: 128 * MiB,
  fetchBytes: 1024 * MiB,
  /** Of one commit or tag, of one tree; files and directories of a commit. */
  commitBytes: MiB,
  treeBytes: 16 * MiB,
  commitEntries: 100_000,
  gitAllocationBytes: 128 * MiB,
} as const;
