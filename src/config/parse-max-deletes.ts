import type { MaxDeletes } from "./config.js";

/** `5` or `25%`; null for what is neither, and for more than 100%. */
export function parseMaxDeletes(value: string | number): MaxDeletes | null {
  const [, digits, percent] = /^(\d{1,9})(%?)$/.exec(String(value)) ?? [];
  if (digits === undefined) return null;
  const number = Number(digits);
  if (percent === "") return { count: number };
  return number <= 100 ? { percent: number } : null;
}
