const MiB = 1024 * 1024;

/** Of what a pull request or a service can make larger. `docs/reliability.md` has the same numbers. */
export const limits = {
  /** Bytes of one manifest, content file or policy. */
  fileBytes: 8 * MiB,
  configBytes: MiB,
  secretBytes: 256 * 1024,
  /** Of a run: manifests, files each time that they are named, variables, and secrets tenfold. */
  inputBytes: 256 * MiB,
  documents: 200_000,
  directoryEntries: 1_000_000,
  patternLength: 1_000,
  /** Patterns with `*` or `?`, once every `{a,b}` is written out. */
  globs: 1_000,
  /** The lengths of a pattern and a path multiplied, summed up. */
  globSteps: 10_000_000_000,
  /** Maps and lists inside one another: readers recurse. */
  depth: 100,
  /** Of one YAML document, whose syntax tree is held in memory. */
  yamlTokens: 500_000,
  /** Values that aliases may copy into one document, of texts one for every 100 characters. */
  aliasedNodes: 10_000,
  /** Syntax problems that are shown of one document. */
  yamlProblems: 10,
  /** Pages of one list, and how many of them may be empty in a row. */
  listPages: 10_000,
  emptyPages: 100,
  listResources: 1_000_000,
  listBytes: 256 * MiB,
  pageAddress: 500,
  pageCacheBytes: 8 * MiB,
  stateBytes: 128 * MiB,
  /** Bytes that one fetch of a watched repository may bring. */
  fetchBytes: 1024 * MiB,
  /** Bytes of one commit or tag, and of one tree; files and directories of a commit. */
  commitBytes: MiB,
  treeBytes: 16 * MiB,
  commitEntries: 100_000,
  /** Bytes that Git allocates at once. */
  gitAllocationBytes: 128 * MiB,
} as const;
