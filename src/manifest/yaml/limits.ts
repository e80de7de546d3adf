/** What one YAML document may cost. Far above any manifest, far below what hurts. */
export const limits = {
  /** Maps and lists inside one another. The composer recurses: beyond this the stack is at risk. */
  depth: 100,
  /** Lexical tokens of one document; its syntax tree is held in memory as a whole. */
  tokens: 500_000,
  /** Nodes that aliases may copy into one document (the "billion laughs"). */
  aliasedNodes: 10_000,
  /** Syntax problems told per document; the ones after the first few are mostly echoes. */
  problems: 10,
} as const;
