import { ApiError, isRefusal } from "../api/api-error.js";
import type { ReadClient } from "../api/client.js";
import { EdgewiseError } from "../core/errors.js";
import { isObject, type ValueObject } from "../core/json.js";
import { lockKind, readLock } from "../kinds/lock-object.js";
import {
  collectionOf,
  forListedKinds,
  type KindName,
  type ListedKind,
  listedKinds,
  type ModuleKind,
} from "../kinds/names.js";
import { moduleNames, modulesNamed } from "../kinds/normal-form.js";
import { isValueObject } from "../kinds/policy.js";
import { kinds } from "../kinds/registry.js";
import type { Live, LiveModules } from "./live.js";
import type { Manifest } from "../manifest/manifest.js";

/** A failed list throws only if it is needed. */
export type Listing = ReturnType<typeof startListing>;

export function startListing(client: ReadClient) {
  return listedKinds.map(async (kind) => {
    try {
      return { kind, items: await client.list(collectionOf(kind)), failure: null };
    } catch (error) {
      return { kind, items: [], failure: { error } };
    }
  });
}

export async function readLiveFor(
  client: ReadClient,
  manifests: readonly Manifest[],
  alsoUsed: readonly KindName[] = [],
  listing?: Listing,
): Promise<Live> {
  const named: ReadonlySet<string> = new Set([...manifests.map(({ kind }) => kind), ...alsoUsed]);
  const used = new Set(listedKinds.filter((kind) => named.has(kind)));
  return readLive(client, { used, modules: modulesNamed(manifests) }, listing);
}

/** Null when the service refuses this one for good. */
export async function readAllModules(client: ReadClient, kind: ModuleKind, id: string): Promise<LiveModules | null> {
  try {
    const path = kinds[kind].path(encodeURIComponent(id), {});
    return await readModules(client, { kind, id, path, names: moduleNames(kind) });
  } catch (error) {
    if (error instanceof ApiError && isRefusal(error)) return null;
    throw error;
  }
}

type ModulesToRead = ReturnType<typeof modulesNamed>[number];

/** Without refused collections that no manifest uses. */
export async function readLive(
  client: ReadClient,
  wanted: Readonly<{ used: ReadonlySet<ListedKind>; modules: readonly ModulesToRead[] }>,
  listing: Listing = startListing(client),
): Promise<Live> {
  const [collections, modules] = await Promise.all([
    Promise.all(listing.map(async (collection) => checked(await collection, wanted.used))),
    Promise.all(wanted.modules.map((one) => readModules(client, one))),
  ]);
  const unreadable = collections.flatMap(({ kind, refused }) => (refused === null ? [] : [{ kind, refused }]));
  // Then the key or the address is wrong, unless a module shows otherwise.
  const isAnyRead = modules.some((one) => Object.values(one.modules).some((module) => module !== null));
  if (unreadable[0] !== undefined && unreadable.length === collections.length && !isAnyRead)
    throw unreadable[0].refused;
  const items = new Map(collections.map((collection) => [collection.kind, collection.items]));
  const { kind: lockable } = lockKind();
  const locks = (items.get(lockable) ?? []).flatMap((wire) => readLock(wire) ?? []);
  return {
    ...(locks.length === 0 ? {} : { locks }),
    lists: forListedKinds((kind) => {
      const found = items.get(kind) ?? [];
      return kind === lockable ? found.filter((wire) => readLock(wire) === null) : found;
    }),
    unreadable: unreadable.map(({ kind, refused }) => ({ kind, status: refused.status ?? 0 })),
    modules,
  };
}

function checked({ failure, items, kind }: Awaited<Listing[number]>, used: ReadonlySet<ListedKind>) {
  if (failure === null) return { kind, items, refused: null };
  const { error } = failure;
  const isRefused = error instanceof ApiError && isRefusal(error) && error.path === collectionOf(kind).path;
  if (used.has(kind) || !isRefused) throw error;
  return { kind, items, refused: error };
}

async function readModules(client: ReadClient, { names, ...place }: ModulesToRead): Promise<LiveModules> {
  const read = names.map(async (name) => [name, await readModule(client, `${place.path}/${name}`)] as const);
  return { ...place, modules: Object.fromEntries(await Promise.all(read)) };
}

/** Services answer 404, 204, null or `{}` when it is not set. */
async function readModule(client: ReadClient, path: string): Promise<ValueObject | null> {
  try {
    const { body } = await client.get(path);
    if (body === null) return null;
    if (isValueObject(body)) return Object.keys(body).length === 0 ? null : body;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
  throw new EdgewiseError("list-unbelievable", `GET ${path}: the response is not a module object`, {
    remedy: "Check the base URL; if it is right, the service is at fault.",
  });
}

export async function readFirstPages(client: ReadClient, now: () => number) {
  return Promise.all(listedKinds.map((kind) => readFirstPage(client, kind, now)));
}

async function readFirstPage(client: ReadClient, kind: ListedKind, now: () => number) {
  const { member, path } = collectionOf(kind);
  const began = now();
  const latency = () => Math.round(now() - began);
  try {
    const { body, status } = await client.get(path);
    const isList = isObject(body) && Array.isArray(body[member]);
    const message = `${client.baseUrl} responded, but not like this API: the response for ${path} has no ${member}`;
    const unlike = new EdgewiseError("api", message, { remedy: "Check the base URL: it may need a path." });
    return { kind, latencyMs: latency(), status, error: isList ? null : unlike };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === "interrupted") throw error;
    return { kind, latencyMs: latency(), status: error.status, error };
  }
}
