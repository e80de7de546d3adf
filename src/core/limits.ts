const MiB = 1024 * 1024;

/** What a pull request or a service can make larger has its limit here. `docs/reliability.md` has the same numbers. */
export const limits = {
  /** Bytes of one manifest, content file or policy. */
  fileBytes: 8 * MiB,
  configBytes: MiB,
  /** Bytes of a secret file: a private key has a few thousand. */
  secretBytes: 256 * 1024,
  /** Bytes of all manifests of a run, with files each time that they are named, variables, and secrets tenfold. */
  inputBytes: 256 * MiB,
  documents: 200_000,
  directoryEntries: 1_000_000,
  patternLength: 1_000,
  /** Patterns with `*`, `?` or braces, once every `{a,b}` is written out. */
  globs: 1_000,
  /** Comparisons of a pattern with a path, each counted with the length of both. */
  globSteps: 10_000_000_000,
  /** Maps and lists inside one another, in YAML and in JSON. Readers recurse: far beyond this the stack is at risk. */
  depth: 100,
  /** Lexical tokens of one YAML document; its syntax tree is held in memory as a whole. */
  yamlTokens: 500_000,
  /** Values that aliases may copy into one document (the "billion laughs"), of texts one for every 100 characters. */
  aliasedNodes: 10_000,
  /** Syntax problems that are shown of one document; those after the first few are mostly echoes. */
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
  /** Bytes of one of its commits or tags, and of one directory's tree; and how many files and directories a commit may hold. */
  commitBytes: MiB,
  treeBytes: 16 * MiB,
  commitEntries: 100_000,
  /** Bytes that Git allocates at once: it holds commits, tags, trees and deltas in memory, and streams other files. */
  gitAllocationBytes: 128 * MiB,
} as const;
