import { isObject } from "../json.js";
import { isAddress } from "../kinds/names.js";

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === "string";
const textOrNull: Check = (value) => value === null || text(value);
const address: Check = (value) => typeof value === "string" && isAddress(value);
const listOf =
  (item: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every((each) => item(each));
const mapOf =
  (item: Check): Check =>
  (value) =>
    isObject(value) && Object.values(value).every((each) => item(each));
const shaped =
  (members: { readonly [member: string]: Check }): Check =>
  (value) =>
    isObject(value) && Object.entries(members).every(([member, check]) => check(value[member]));

const members: { readonly [member: string]: Check } = {
  stack: text,
  baseUrl: text,
  toolVersion: text,
  hash: text,
  summary: mapOf((value) => typeof value === "number"),
  changes: listOf(
    shaped({
      address,
      action: text,
      id: textOrNull,
      fields: listOf(shaped({ path: text })),
      impact: text,
      notes: listOf(text),
    }),
  ),
  operations: listOf(
    shaped({
      id: text,
      kind: text,
      method: text,
      path: (value) => typeof value === "string" && value.startsWith("/"),
      address,
      bind: mapOf(isObject),
      after: listOf(text),
      waits: mapOf(text),
    }),
  ),
  preconditions: listOf(shaped({ address, id: text, fingerprint: text })),
  refusals: listOf(shaped({ code: text, message: text, remedy: text })),
  warnings: listOf(shaped({ code: text, message: text })),
  owned: listOf(text),
  claims: listOf(text),
  secrets: mapOf(shaped({ file: text, fingerprint: text })),
};

/**
 * The first member of a saved plan that is not as schemas/plan.schema.json has it, or null. The checksum tells edits;
 * this keeps a file that somebody made by hand from looking like a bug.
 */
export function misshapenMember(plan: { readonly [member: string]: unknown }): string | null {
  for (const [member, check] of Object.entries(members)) if (!check(plan[member])) return member;
  return null;
}
