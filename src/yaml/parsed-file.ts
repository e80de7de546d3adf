import type { Json } from "../core/json.js";
import type { Code } from "../diagnostics/codes.js";

export type SyntaxProblem = Readonly<{
  code: Extract<Code, `yaml-${string}`>;
  /** In UTF-16 units from the start of the file. */
  offset: number;
  message: string;
  remedy?: string | undefined;
  otherOffset?: number;
}>;

export type ParsedDocument = Readonly<{
  value: Json;
  /** Offsets in the file; `content`: of the first key or item. */
  start: number;
  end: number;
  content: number;
}>;

export type ParsedFile = Readonly<{ documents: readonly ParsedDocument[]; problems: readonly SyntaxProblem[] }>;
