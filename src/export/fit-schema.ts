import { isObject } from "../json.js";
import { documentOf, policy } from "../kinds/policy/policy-codec.js";
import { kinds } from "../kinds/registry.js";
import { manifestErrors } from "../schema/validate-manifest.js";
import type { ExportDocument } from "./export-document.js";

/** A manifest that `validate` accepts, or in words why there is none. */
export type FittedDocument = { readonly document: ExportDocument } | { readonly notExported: string };

/**
 * Leaves out what a live resource has and no manifest may say: a region that edgewise doesn't know, a policy that is not
 * JSON. Fields that inherit keep their live value anyway, others because the manifest ignores them. When a manifest
 * can't do without such a field, the resource is not exported.
 */
export function fitToSchema(document: ExportDocument): FittedDocument {
  const { address, kind, manifest } = document;
  const errors = manifestErrors(manifest);
  const spec = isObject(manifest["spec"]) ? manifest["spec"] : {};
  const unfit = new Map<string, string>(unreadablePolicies(document, spec));
  for (const { message, path = [] } of errors) if (path[0] === "spec") unfit.set(String(path[1]), message);
  if (unfit.size === 0 && errors.length === 0) return { document };

  const lifecycle = isObject(manifest["lifecycle"]) ? manifest["lifecycle"] : {};
  const ignored = [...unfit.keys()].filter((field) => kinds[kind].fields[field]?.unset !== "inherit");
  const fitted = {
    ...manifest,
    ...(ignored.length === 0 ? {} : { lifecycle: { ...lifecycle, ignore: ignored.map((field) => `spec.${field}`) } }),
    spec: Object.fromEntries(Object.entries(spec).filter(([field]) => !unfit.has(field))),
  };
  const [left] = manifestErrors(fitted);
  if (left !== undefined) return { notExported: `${address} was not exported: ${(errors[0] ?? left).message}` };
  const warnings = [...unfit].map(
    ([field, why]) => `${field} of ${address} is not in its manifest, and keeps its live value: ${why}`,
  );
  const secrets = document.secrets.filter(({ field }) => !unfit.has(field.split(".")[0] ?? ""));
  // What was wrong inside a field that is left out concerns nobody.
  const others = document.warnings.filter(
    (warning) => ![...unfit.keys()].some((field) => warning.startsWith(`${field}.`)),
  );
  return { document: { ...document, manifest: inOrder(fitted), secrets, warnings: [...others, ...warnings] } };
}

/** Modules with a traffic policy that is not a JSON object: some services store policies as YAML. */
function unreadablePolicies(
  { kind }: ExportDocument,
  spec: { readonly [field: string]: unknown },
): readonly (readonly [field: string, why: string])[] {
  return Object.entries(kinds[kind].fields).flatMap(([name, { module }]) => {
    const value = spec[name];
    if (module === undefined || !isObject(value)) return [];
    const texts = module.memberList.flatMap(({ field, name: member }) => {
      const text = field.codec === policy ? value[member] : undefined;
      return typeof text === "string" ? [text] : [];
    });
    return texts.every((text) => isObject(documentOf(text)))
      ? []
      : [[name, "its policy is not a JSON object; write it as one and remove the field from `ignore`"] as const];
  });
}

/** With `lifecycle` before `spec`, as everywhere. */
function inOrder(manifest: { readonly [member: string]: unknown }): { readonly [member: string]: unknown } {
  const { spec, ...rest } = manifest;
  return { ...rest, spec };
}
