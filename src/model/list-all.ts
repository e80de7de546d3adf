import type { JsonObject } from "../json.js";
import type { ListedKind } from "../kinds/names.js";
import type { Live } from "../live/live.js";
import { resourceModels } from "./resources/registry.js";
import type { ResourceModel } from "./resource-model.js";
import type { World } from "./world.js";

/** Every resource as lists return it, newest first: what reading all pages of all collections would give. */
export function listAll(world: World): Live["lists"] {
  return {
    IPRestriction: listKind(world, "IPRestriction"),
    TLSEdge: listKind(world, "TLSEdge"),
    ReservedAddress: listKind(world, "ReservedAddress"),
    HTTPResponseBackend: listKind(world, "HTTPResponseBackend"),
    TLSCertificate: listKind(world, "TLSCertificate"),
  };
}

function listKind(world: World, kind: ListedKind): readonly JsonObject[] {
  const model: ResourceModel = resourceModels[kind];
  const resources = Array.from(world.collections[kind], ([, resource]) => resource);
  return model.listed === undefined ? resources : resources.map(model.listed);
}
