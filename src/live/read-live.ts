import { ApiError, isRefusal } from "../api/api-error.js";
import type { ReadClient } from "../api/client.js";
import { EdgewiseError } from "../core/errors.js";
import { type JsonObject, type Spec, type ValueObject, isObject } from "../core/json.js";
import { type LockObject, lockKind, readLock } from "../kinds/lock-object.js";
import {
  type KindName,
  type ListedKind,
  type ModuleKind,
  collectionOf,
  listedKinds,
  moduleKinds,
} from "../kinds/names.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { Manifest } from "../manifest/manifest.js";
import { Secret } from "../core/secret.js";
import type { Live, LiveModules } from "./live.js";
import { type Listing, type LiveCollection, startListing } from "./start-listing.js";

/**
 * Lists the live resources, and reads the modules that the manifests of HTTPS edges and routes name.
 * @param alsoUsed kinds that must be readable although no manifest uses them
 * @param listing the lists, when they were started earlier
 */
export async function readLiveFor(
  client: ReadClient,
  manifests: readonly Manifest[],
  alsoUsed: readonly KindName[] = [],
  listing?: Listing,
): Promise<Live> {
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
  const spec = specFromManifest(kinds[manifest.kind], manifest.spec);
  return pathsOfModules(manifest.kind, id, spec, (name) => manifest.spec[name] !== undefined);
}

/** The paths of some modules, by name. */
function pathsOfModules(
  kindName: KindName,
  id: string,
  spec: Spec,
  wanted: (module: string) => boolean,
): { [module: string]: string } {
  const kind = kinds[kindName];
  const base = kind.path(encodeURIComponent(id), spec);
  const named = kind.fieldList.filter(({ field, name }) => field.module !== undefined && wanted(name));
  return Object.fromEntries(named.map(({ name }) => [name, `${base}/${name}`]));
}

/**
 * Reads all modules of something that the API can't list. Its status when the service refuses to read them, as one does
 * that has given up the whole family of resources.
 * @param within what its path needs beside the id
 * @throws ApiError or EdgewiseError `list-unbelievable`
 */
export async function readAllModules(
  client: ReadClient,
  { id, kind, within }: { readonly kind: ModuleKind; readonly id: string; readonly within: Spec },
): Promise<LiveModules | { readonly refused: number }> {
  try {
    return await readModules(client, { kind, id, paths: pathsOfModules(kind, id, within, () => true) });
  } catch (error) {
    if (error instanceof ApiError && error.status !== null && isFinalRefusal(error.status)) {
      return { refused: error.status };
    }
    throw error;
  }
}

/** Whether a request for one thing is refused in a way that says nothing of other requests. */
function isFinalRefusal(status: number): boolean {
  return (status >= 400 && status < 500 && ![401, 408, 429].includes(status)) || status === 501;
}

function isOneOf<T extends string>(all: readonly T[], value: string): value is T {
  return (all as readonly string[]).includes(value);
}

/** The modules of one HTTPS edge or route that a manifest names. */
export interface ModulesToRead {
  readonly kind: ModuleKind;
  readonly id: string;
  /** By module name: where GET reads it, relative to the base URL. */
  readonly paths: { readonly [module: string]: string };
}

/**
 * Reads the live state for a plan: all collections and the modules that manifests name, all at the same time. A
 * collection that the service refuses to list is left out when no manifest uses its kind.
 * @param wanted `used`: the kinds that manifests use; `modules`: what else to read
 * @param listing the lists, when they were started earlier
 * @throws ApiError or EdgewiseError `list-unbelievable` when there is no live state to plan from
 */
export async function readLive(
  client: ReadClient,
  wanted: { readonly used: ReadonlySet<ListedKind>; readonly modules: readonly ModulesToRead[] },
  listing: Listing = startListing(client),
): Promise<Live> {
  const [collections, modules] = await Promise.all([
    Promise.all(listing.map(async (collection) => throwIfNeeded(await collection, wanted.used))),
    Promise.all(wanted.modules.map((modules) => readModules(client, modules))),
  ]);
  const unreadable = collections.filter((collection) => collection.refused !== null);
  const [first] = unreadable;
  // If no list can be read the key or the address is wrong, unless a module shows that both are right.
  if (first?.refused && unreadable.length === collections.length && !modules.some(hasModule)) throw first.refused;
  const { kind: lockable } = lockKind();
  const locks: LockObject[] = [];
  const items = Object.fromEntries(
    collections.map(({ kind, items }) => [kind, kind === lockable ? withoutLocks(items, locks) : items]),
  );
  return {
    ...(locks.length === 0 ? {} : { locks }),
    lists: items as Live["lists"], // One entry for each of listedKinds.
    unreadable: unreadable.map(({ kind, refused }) => ({ kind, status: refused?.status ?? 0 })),
    modules,
  };
}

/** The resources of a list. Adds the locks in it to `locks`. */
function withoutLocks(items: readonly JsonObject[], locks: LockObject[]): readonly JsonObject[] {
  return items.filter((wire) => {
    const lock = readLock(wire);
    if (lock !== null) locks.push(lock);
    return lock === null;
  });
}

function hasModule({ modules }: LiveModules): boolean {
  return Object.values(modules).some((module) => module !== null);
}

interface CheckedCollection extends Pick<LiveCollection, "kind" | "items"> {
  /** Why it could not be read, when it is not needed. */
  readonly refused: ApiError | null;
}

function throwIfNeeded({ failure, items, kind }: LiveCollection, used: ReadonlySet<ListedKind>): CheckedCollection {
  if (failure === null) return { kind, items, refused: null };
  const { error } = failure;
  if (used.has(kind) || !(error instanceof ApiError) || !refusesAll(error, collectionOf(kind).path)) throw error;
  return { kind, items, refused: error };
}

/** Whether the collection itself is refused, not just a later page of it. */
function refusesAll(error: ApiError, path: string): boolean {
  return isRefusal(error) && error.path === path;
}

async function readModules(client: ReadClient, wanted: ModulesToRead): Promise<LiveModules> {
  const read = Object.entries(wanted.paths).map(
    async ([module, path]) => [module, await readModule(client, path)] as const,
  );
  return { kind: wanted.kind, id: wanted.id, modules: Object.fromEntries(await Promise.all(read)) };
}

/** One module; null when it is not set: services then return 404, 204, null or `{}`. */
async function readModule(client: ReadClient, path: string): Promise<ValueObject | null> {
  try {
    const { body } = await client.get(path);
    if (body === null) return null;
    if (isModule(body)) return Object.keys(body).length === 0 ? null : body;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
  throw new EdgewiseError("list-unbelievable", `GET ${path}: the response is not a module object`, {
    remedy:
      "edgewise does not plan from a response that it can't read. Check the base URL; if it is right, the service is at fault.",
  });
}

function isModule(body: unknown): body is ValueObject {
  return isObject(body) && !(body instanceof Secret);
}
