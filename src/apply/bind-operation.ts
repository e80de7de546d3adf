import { setAt } from "../core/document-path.js";
import { type Value, isObject } from "../core/json.js";
import { type Address, isResourceId } from "../kinds/names.js";
import type { Operation } from "../plan/plan-format.js";
import type { Secret } from "../core/secret.js";

export type CreatedResource = Readonly<{
  id: string;
  addr: string | null;
}>;

export function createdFrom(body: unknown): CreatedResource | null {
  if (!isObject(body)) return null;
  const { id, addr } = body;
  if (!isResourceId(id)) return null;
  return { id, addr: typeof addr === "string" && addr !== "" ? addr : null };
}

export function bindOperation(
  { bind, body, path, pathBind, resourceId }: Pick<Operation, "bind" | "body" | "path" | "pathBind" | "resourceId">,
  created: ReadonlyMap<Address, CreatedResource>,
  secrets: ReadonlyMap<string, Secret>,
) {
  let bound: Value = body;
  for (const [pointer, binding] of Object.entries(bind)) {
    const value = "secret" in binding ? secrets.get(binding.secret) : created.get(binding.address)?.[binding.part];
    if (value === undefined || value === null) return { missing: missingPart(binding) };
    bound = setAt(bound, pointer, value);
  }
  const own = body === null ? {} : { body: bound };
  if (pathBind === undefined) return { path, resourceId, ...own };
  const id = created.get(pathBind.address)?.id;
  if (id === undefined) return { missing: missingPart(pathBind) };
  return { path: path.replace("{id}", () => encodeURIComponent(id)), resourceId: id, ...own };
}

function missingPart(binding: Operation["bind"][string]) {
  if ("secret" in binding) return `the secret ${binding.secret} is not available`;
  return `the service returned no ${binding.part} for ${binding.address}`;
}
