import { limits } from "./limits.js";

type ParsedJson = { readonly value: unknown } | { readonly problem: "syntax" | "depth" };

export function parseJson(text: string, deepest: number = limits.depth): ParsedJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: "syntax" };
  }
  return isDeeper(value, deepest) ? { problem: "depth" } : { value };
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}
