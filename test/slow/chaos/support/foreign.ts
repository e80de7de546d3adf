import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { readMarker } from "../../../../src/kinds/marker.ts";
import { type ListedKind, forListedKinds } from "../../../../src/kinds/names.ts";
import { kinds } from "../../../../src/kinds/registry.ts";
import type { Live } from "../../../../src/live/live.ts";
import type { Dice } from "./dice.ts";

/** Writes without any guard. Throws if the service refuses. */
export type Console = (method: string, path: string, body?: Json) => JsonObject;

type Lists = Live["lists"];

export function seedForeign(write: Console, dice: Dice): void {
  const markers = [
    JSON.stringify({ edgewise: { stack: "other", name: "one" } }),
    JSON.stringify({ edgewise: { stack: "chaos2", name: "two", deletion: "protect" } }),
    JSON.stringify({ edgewise: { stack: "chaos" } }),
    JSON.stringify({ edgewise: "chaos" }),
    '{"edgewise":{"stack":"chaos","name":"one"}',
    "chaos one",
    "",
  ];
  const metadata = (): { readonly metadata: string } => ({ metadata: dice.pick(markers) });
  const backends = ["one", "two"]
    .slice(0, dice.between(0, 2))
    .map((body) => write("POST", "/backends/http_response", { status_code: 200, body, ...metadata() }));
  for (const host of ["foreign", "elsewhere"].slice(0, dice.between(0, 2))) {
    const [backend] = backends;
    const id = backend?.["id"];
    const module = typeof id === "string" && dice.chance(0.5) ? { backend: { backend_id: id } } : {};
    write("POST", "/edges/tls", { hostports: [`${host}.example.com:443`], ...module, ...metadata() });
  }
  if (dice.chance(0.5)) write("POST", "/reserved_addrs", { description: "unowned", ...metadata() });
  if (dice.chance(0.3))
    write("POST", "/ip_restrictions", { type: "endpoints", enforced: false, ip_policy_ids: ["ipp_9"] });
}

export function foreignBytes(lists: Lists, stack: string): ReadonlyMap<string, string> {
  const found = Object.entries(lists).flatMap(([kind, list]) =>
    list
      .filter(({ metadata }) => readMarker(metadata).marker?.stack !== stack)
      .map((wire) => [`${kind} ${String(wire["id"])}`, withoutOrigin(JSON.stringify(wire))] as const),
  );
  return new Map(found);
}

/** Removes URIs, which change when a service moves to another port. */
function withoutOrigin(text: string): string {
  return text.replaceAll(/http:\/\/(127\.0\.0\.1|localhost):\d+/gu, "");
}

export function ownedBy(lists: Lists, stack: string): ReadonlyMap<string, readonly JsonObject[]> {
  const found = new Map<string, JsonObject[]>();
  for (const [kind, list] of Object.entries(lists)) {
    for (const wire of list) {
      const { marker } = readMarker(wire["metadata"]);
      if (marker?.stack !== stack) continue;
      const address = `${kind}/${marker.name}`;
      const same = found.get(address);
      if (same === undefined) found.set(address, [wire]);
      else same.push(wire);
    }
  }
  return found;
}

const paths = forListedKinds((kind) => kinds[kind].collection?.path ?? "");

/**
 * Changes and deletes resources of the stack like a manual edit. Refused edits are skipped.
 * @param spared the id of a resource that is not deleted
 */
export function meddle(write: Console, lists: Lists, stack: string, spared: string | null, dice: Dice): number {
  let done = 0;
  for (const [kind, path] of Object.entries(paths)) {
    for (const wire of lists[kind as ListedKind]) {
      if (readMarker(wire["metadata"]).marker?.stack !== stack || !dice.chance(0.3)) continue;
      const at = `${path}/${String(wire["id"])}`;
      const bodies: readonly Json[] = [
        { description: "edited by hand" },
        ...(kind === "HTTPResponseBackend" ? [{ status_code: 418 }, { body: "edited" }] : []),
        ...(kind === "IPRestriction" ? [{ enforced: false }, { ip_policy_ids: ["ipp_2"] }] : []),
        ...(kind === "TLSEdge"
          ? [
              { hostports: [`${dice.pick(["a", "b", "c", "d", "e", "f", "x"])}.example.com:443`] },
              { mutual_tls: { certificate_authority_ids: ["ca_7"] } },
              { tls_termination: { min_version: "1.3" } },
            ]
          : []),
      ];
      try {
        // The service refuses any PATCH of an edge that names a deleted backend, even one that disables the module.
        const named = lists.TLSEdge.some((edge) => JSON.stringify(edge).includes(String(wire["id"])));
        const sparedNow = wire["id"] === spared;
        if (dice.chance(0.3) && !sparedNow && !(named && kind === "HTTPResponseBackend")) write("DELETE", at);
        else write("PATCH", at, dice.pick(bodies));
        done += 1;
      } catch {
        // The service refused it: nothing changed.
      }
    }
  }
  return done;
}
