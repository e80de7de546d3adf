import type { Problem } from "../diagnostics/diagnostic.js";
import { isObject } from "../json.js";
import type { KindName } from "../kinds/names.js";
import { secretsIn } from "../kinds/policy/secret-places.js";
import type { Value, ValueObject } from "../kinds/value.js";
import type { DocumentPath } from "../schema/schema-error.js";
import type { Secret } from "../secret.js";
import type { ReadBudget } from "./budget.js";
import { namedFile, readContentField } from "./content-field.js";
import type { FileCache } from "./file-cache.js";
import type { LoadOptions } from "./load-options.js";
import type { NamedSecrets } from "./named-secrets.js";
import { resolvePolicySources } from "./policy-sources.js";
import { type ApiKeys, resolveSecretField } from "./secret-field.js";
import { type SpecField, specFieldsOf, specValueAt } from "./special-fields.js";
import type { ManifestProblem } from "./subject.js";

/** What the manifests of one run share. */
export interface LoadContext {
  readonly options: LoadOptions;
  readonly files: FileCache;
  readonly apiKeys: ApiKeys;
  readonly secrets: NamedSecrets;
  readonly budget: ReadBudget;
}

/** A spec with its files read and its secrets wrapped. */
export interface ResolvedSpec {
  /** Fields that could not be resolved are null. */
  readonly spec: ValueObject;
  readonly findings: readonly ManifestProblem[];
  /** Problems inside the files that it names. */
  readonly elsewhere: readonly Problem[];
}

/**
 * Reads what a spec names with `{file}` and wraps its secrets. The spec may break its schema.
 * @param file the manifest, relative to the root
 */
export async function resolveSpec(
  kind: KindName,
  spec: ValueObject,
  file: string,
  loading: LoadContext,
): Promise<ResolvedSpec> {
  const findings: ManifestProblem[] = [];
  const elsewhere: Problem[] = [];
  let result = spec;
  const learn = (secret: Secret | null, path: DocumentPath): void => {
    const excess = loading.budget.spend("secretCharacters", loading.secrets.register(secret));
    if (excess !== null) findings.push({ code: "input-too-large", message: excess, path });
  };
  for (const place of specFieldsOf(kind)) {
    const written = specValueAt(spec, place.path);
    if (written === undefined) continue;
    const path = ["spec", ...place.path];
    if (place.field.secret === true) {
      const found = resolveSecretField(written, file, loading.options, loading.apiKeys);
      if ("code" in found) findings.push({ ...found, path });
      else learn(found.secret, path);
      result = withField(result, place.path, "code" in found ? null : found.secret);
      continue;
    }
    const form = place.form;
    const named = form === null ? null : namedFile(written);
    if (form === "policy" && named === null && isObject(written)) {
      const found = resolvePolicySources(written as ValueObject, path, file, loading);
      findings.push(...found.findings);
      for (const secret of secretsIn(found.policy)) learn(secret, path);
      loading.secrets.registerClearTexts(found.policy);
      if (found.policy !== written) result = withField(result, place.path, found.policy);
      continue;
    }
    if (form === "policy" && typeof written === "string") loading.secrets.registerClearTexts(written);
    if (form === null || named === null) continue;
    const found = await readContentField(named, form, file, loading.options.tree.root, loading);
    if ("wrong" in found) findings.push({ ...found.wrong, path: [...path, "file"] });
    if ("problems" in found) elsewhere.push(...found.problems);
    const content = "content" in found ? found.content : null;
    if (form === "policy") loading.secrets.registerClearTexts(content);
    result = withField(result, place.path, content);
  }
  return { spec: result, findings, elsewhere };
}

function withField(spec: ValueObject, [field, member]: SpecField["path"], value: Value): ValueObject {
  if (member === undefined) return { ...spec, [field]: value };
  const module = spec[field];
  return isObject(module) ? { ...spec, [field]: { ...module, [member]: value } } : spec;
}
