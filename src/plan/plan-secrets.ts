import { type Json, type JsonObject, type Value, type ValueObject, isObject, mapTexts } from "../core/json.js";
import { Secret } from "../core/secret.js";
import type { Field, NamedField } from "../kinds/kind.js";
import { plainMetadata, readMarker, writeMarker } from "../kinds/marker.js";
import { type Address, kindOf } from "../kinds/names.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { SecretPolicy, documentOf, partsOf, rootPlace, sourcesOf, withParts } from "../kinds/policy.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import {
  canonicalJson,
  hashPlan,
  moduleAt,
  type Operation,
  type Plan,
  type UnavailableSecret,
  type Change,
} from "./plan-format.js";
import { fieldAt } from "./diff.js";
import { addressOfLive, indexLive, instanceKey } from "./live-index.js";
import type { PlanOptions } from "./plan-context.js";

/** The service's own secret: `TLSEdge/x#live.traffic_policy.value`. No field has this name. */
const livePrefix = "live.";

export function secretReference(address: Address, path: string, live: boolean): string {
  return `${address}#${live ? livePrefix : ""}${path}`;
}

export function ownerOf(reference: string): string {
  return reference.slice(0, reference.indexOf("#"));
}

export function secretResolver(manifests: readonly Manifest[]): (reference: string) => Secret {
  const byAddress = new Map<string, Manifest>(manifests.map((manifest) => [manifest.address, manifest]));
  return (reference) => {
    const path = reference.slice(reference.indexOf("#") + 1);
    if (path.startsWith(livePrefix)) return Secret.unavailable("the service", unrepeatable);
    const manifest = byAddress.get(ownerOf(reference));
    let value: unknown = manifest === undefined ? null : specFromManifest(kinds[manifest.kind], manifest.spec);
    for (const member of path.split(".")) value = isObject(value) ? value[member] : undefined;
    return value instanceof Secret ? value : Secret.unavailable(reference, "no manifest has it");
  };
}

const unrepeatable =
  "lifecycle.ignore keeps a live secret, which can't be sent again; name the whole module there, or stop ignoring its value";

export function unavailableSources(value: Value): readonly string[] {
  if (value instanceof SecretPolicy) return value.unavailable;
  if (value instanceof Secret) return value.missing === null ? [] : [value.source];
  return partsOf(value).flatMap((part) => unavailableSources(part.value));
}

/** A plan job often has no secrets; an apply job makes the same plan. */
export function withoutSecrets(
  manifests: readonly Manifest[],
  unavailable: readonly UnavailableSecret[],
): readonly Manifest[] {
  return manifests.map((manifest) => {
    const sources = unavailable.flatMap(({ address, source }) => (address === manifest.address ? [source] : []));
    return sources.length === 0 ? manifest : { ...manifest, spec: withheld(manifest.spec, sources) as ValueObject };
  });
}

function withheld(value: Value, sources: readonly string[]): Value {
  if (!(value instanceof Secret)) return withParts(value, partsOf(value), (part) => withheld(part.value, sources));
  if (!sources.includes(value.source)) return value;
  return Secret.unavailable(value.source, "it was not available when the plan was made");
}

/** By address, as paths in which `*` is each item of a list. */
export interface SourcePlaces {
  readonly [address: string]: readonly string[];
}

export function sourcePlaces(manifests: readonly Manifest[]): SourcePlaces {
  return Object.fromEntries(
    manifests.flatMap(({ address, kind, spec }): [string, readonly string[]][] => {
      const found = placesIn(specFromManifest(kinds[kind], spec));
      return found.length === 0 ? [] : [[address, [...new Set(found)]]];
    }),
  );
}

function placesIn(value: Value, path = ""): readonly string[] {
  if (value instanceof SecretPolicy) return sourcesOf(value.document, path);
  return partsOf(value, { ...rootPlace(), path }).flatMap((part) => placesIn(part.value, part.place.path));
}

/** A commit that drops a source must not show what it gave. */
export function formerSecrets(
  places: SourcePlaces,
  manifests: readonly Manifest[],
  live: Live,
  options: Pick<PlanOptions, "stack" | "previousStacks">,
): readonly string[] {
  if (Object.keys(places).length === 0) return [];
  const { byInstance, mine } = indexLive(live, options);
  const adopted = manifests.flatMap(({ address, id, kind }) => {
    const resource = id === null ? undefined : byInstance.get(instanceKey(kind, id));
    return resource === undefined ? [] : [{ address, spec: resource.spec }];
  });
  const owned = mine.map((resource) => ({ address: addressOfLive(resource), spec: resource.spec }));
  const clear = new Set(manifests.flatMap(({ spec }) => textsIn(spec)));
  return [...owned, ...adopted]
    .flatMap(({ address, spec }) => textsAt(spec, new Set(places[address])))
    .filter((text) => !clear.has(text));
}

function textsAt(value: Value, places: ReadonlySet<string>, path = ""): readonly string[] {
  if (places.has(path)) return textsIn(value);
  const whole = typeof value === "string" || value instanceof SecretPolicy ? documentOf(value) : value;
  const parts = places.size === 0 ? [] : partsOf(whole, { ...rootPlace(), path });
  return parts.flatMap((part) => textsAt(part.value, places, part.place.path));
}

function textsIn(value: Value): readonly string[] {
  return typeof value === "string" ? [value] : partsOf(value).flatMap((part) => textsIn(part.value));
}

type Redact = (text: string) => string;

/** Not to be run: known secrets are masked. */
export function shownPlan(plan: Plan, redact: Redact): Plan {
  const changes = plan.changes.map((change) => shownChange(change, redact));
  const operations = plan.operations.map((operation) => ({ ...operation, body: shownBody(operation, redact) }));
  const shown = { ...plan, changes, operations };
  return { ...shown, hash: hashPlan(shown) };
}

export function shownChange(change: Change, redact: Redact): Change {
  const fields = change.fields.map((field) => {
    const declared = fieldAt(kinds[kindOf(change.address)], field.path);
    return declared === undefined ? field : { ...field, before: withoutEchoes(declared, field.before, redact) };
  });
  return { ...change, fields };
}

function shownBody({ address, body, kind, path }: Operation, redact: Redact): Json {
  if (!isObject(body)) return body;
  const { fieldList, fields } = kinds[kindOf(address)];
  const module = kind === "module-put" ? fields[moduleAt(path)]?.module : undefined;
  return membersWithoutEchoes(module?.memberList ?? fieldList, body, redact);
}

function withoutEchoes(field: Field, value: Json, redact: Redact): Json {
  if (field.marker === true && typeof value === "string") {
    const { marker, user } = readMarker(value);
    const masked = mapTexts(user as Json, redact);
    if (canonicalJson(masked) === canonicalJson(user)) return value;
    return marker === null ? plainMetadata(masked) : writeMarker(marker, masked);
  }
  if (field.freeText === true) return mapTexts(value, redact);
  const isModule = field.module !== undefined && isObject(value);
  return isModule ? membersWithoutEchoes(field.module.memberList, value, redact) : value;
}

function membersWithoutEchoes(fields: readonly NamedField[], values: JsonObject, redact: Redact): Json {
  const masked = fields.flatMap(({ name, field }): [string, Json][] => {
    const member = field.writeAs ?? name;
    const value = values[member];
    return value === undefined ? [] : [[member, withoutEchoes(field, value, redact)]];
  });
  return { ...values, ...Object.fromEntries(masked) };
}
