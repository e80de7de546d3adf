import { suggest } from "../diagnostics/suggest.js";
import type { EdgewiseError } from "../errors.js";
import type { ConfigDocument } from "../generated/config-types.js";
import { mergeObjects } from "./lay-over.js";
import { type Setting, badSetting } from "./setting.js";

/** A configuration without its environments: what one of them may say, too. */
export type EffectiveDocument = Omit<ConfigDocument, "apiVersion" | "kind" | "environments">;

/**
 * The configuration with an environment laid over it, or as it is when none is chosen.
 * @param document null when there is no file
 * @throws EdgewiseError when there is no such environment; the message lists those that there are
 */
export function selectEnvironment(document: ConfigDocument | null, chosen: Setting | null): EffectiveDocument {
  if (document === null) {
    if (chosen === null) return {};
    throw badSetting(
      chosen,
      `names the environment ${JSON.stringify(chosen.value)}, and there is no configuration that could have it`,
      "Run in the directory of edgewise.yaml or below, or name the configuration with -c.",
    );
  }
  const { environments, apiVersion: _version, kind: _kind, ...base } = document;
  if (chosen === null) return base;
  const all = environments ?? {};
  if (Object.hasOwn(all, chosen.value)) return withEnvironment(base, all[chosen.value] ?? {});
  throw unknownEnvironment(chosen, Object.keys(all));
}

/** Both parts are valid, and merging keeps every member at its place: so is the whole. */
function withEnvironment(base: EffectiveDocument, environment: EffectiveDocument): EffectiveDocument {
  return mergeObjects(base, environment) as EffectiveDocument;
}

function unknownEnvironment(chosen: Setting, names: readonly string[]): EdgewiseError {
  const near = suggest(chosen.value, names);
  const known = names.length === 0 ? "The configuration has no environments." : `There are ${names.join(", ")}.`;
  return badSetting(
    chosen,
    `names the environment ${JSON.stringify(chosen.value)}, which the configuration does not have`,
    near === null ? known : `Did you mean ${near}? ${known}`,
  );
}
