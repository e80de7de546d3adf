import type { Marker } from "../kinds/marker.js";
import type { LiveIndex } from "./live-resource.js";
import { instanceKey } from "./live-resource.js";
import type { Match } from "./match.js";

/** The marker that a manifest asks for; policies stand in it when they are not the kind's default. */
export function desiredMarker(match: Match, stack: string, replaces: string | undefined): Marker {
  const { lifecycle, name } = match.manifest;
  const { deletion, replaced } = match.kind.defaults;
  return {
    stack,
    name,
    ...(lifecycle.deletion === undefined || lifecycle.deletion === deletion ? {} : { deletion: lifecycle.deletion }),
    ...(lifecycle.replaced === undefined || lifecycle.replaced === replaced ? {} : { replaced: lifecycle.replaced }),
    ...(replaces === undefined ? {} : { replaces }),
  };
}

/** The id that a live marker still has to name: that of the one it replaces, while that is there. */
export function replacesStill(match: Match, index: LiveIndex): string | undefined {
  const id = match.current?.marker?.replaces;
  return id !== undefined && index.byInstance.has(instanceKey(match.kind.kind, id)) ? id : undefined;
}

/** Whether a live marker says what a manifest asks for; `replaces` is no matter of the manifest. */
export function isMarked(marker: Marker | null, match: Match, stack: string): boolean {
  if (marker === null || marker.stack !== stack || marker.name !== match.manifest.name) return false;
  const { lifecycle } = match.manifest;
  const { deletion, replaced } = match.kind.defaults;
  return (
    (marker.deletion ?? deletion) === (lifecycle.deletion ?? deletion) &&
    (marker.replaced ?? replaced) === (lifecycle.replaced ?? replaced)
  );
}
