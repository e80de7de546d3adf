import type { Result } from "./result.js";

/** What an apply did, before anything was verified: the part of {@link Result} that the applier knows. */
export type ApplyReport = Pick<Result, "outcome" | "operations" | "warnings" | "interrupted">;
