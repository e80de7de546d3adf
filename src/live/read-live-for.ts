import type { ReadClient } from "../api/client.js";
import { listedKinds, moduleKinds, type KindName, type ListedKind, type ModuleKind } from "../kinds/names.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "./live.js";
import type { Listing } from "./read-live.js";
import type { Manifest } from "../manifest/manifest.js";

/**
 * Lists what is live, and reads the modules that the manifests of HTTPS edges and routes name.
 * @param alsoUsed kinds that must be readable although no manifest uses them
 * @param listing the lists, when they were started earlier
 */
export async function readLiveFor(
  client: ReadClient,
  manifests: readonly Manifest[],
  alsoUsed: readonly KindName[] = [],
  listing?: Listing,
): Promise<Live> {
  const { readLive } = await import("./read-live.js");
  const used = new Set<ListedKind>();
  const modules = new Map<string, { kind: ModuleKind; id: string; paths: { [module: string]: string } }>();
  for (const kind of [...manifests.map((manifest) => manifest.kind), ...alsoUsed]) {
    if (isOneOf(listedKinds, kind)) used.add(kind);
  }
  for (const manifest of manifests) {
    if (!isOneOf(moduleKinds, manifest.kind) || manifest.id === null) continue;
    const entry = { kind: manifest.kind, id: manifest.id, paths: modulePaths(manifest, manifest.id) };
    modules.set(`${entry.kind}/${entry.id}`, entry);
  }
  return readLive(client, { used, modules: [...modules.values()] }, listing);
}

/** The paths of the modules that a manifest names, null ones too. */
function modulePaths(manifest: Manifest, id: string): { [module: string]: string } {
  const kind = kinds[manifest.kind];
  const base = kind.path(encodeURIComponent(id), specFromManifest(kind, manifest.spec));
  const named = Object.entries(kind.fields).filter(
    ([name, field]) => field.module !== undefined && manifest.spec[name] !== undefined,
  );
  return Object.fromEntries(named.map(([name]) => [name, `${base}/${name}`]));
}

function isOneOf<T extends string>(all: readonly T[], value: string): value is T {
  return (all as readonly string[]).includes(value);
}
