import type { Spec } from "../../core/json.js";
import { type Marker, writeMarker } from "../../kinds/marker.js";
import type { OperationContext } from "../plan-context.js";

/**
 * Refuses metadata that the service would not take (`metadata-too-large`). `validate` finds most of it: what it can't see
 * is live, the id of what is replaced, which may be of any length, and metadata that the manifest ignores.
 */
export function guardMetadata({ address, findings, kind }: OperationContext, spec: Spec, marker: Marker): void {
  for (const { field, name } of kind.fieldList) {
    if (field.marker !== true || field.maxBytes === undefined) continue;
    const user = spec[name] ?? "";
    const size = Buffer.byteLength(writeMarker(marker, user), "utf8");
    if (size <= field.maxBytes) continue;
    const own = Buffer.byteLength(writeMarker(marker, ""), "utf8");
    const id = marker.replaces === undefined ? "" : " with the id of what it replaces";
    findings.refuse(
      "metadata-too-large",
      address,
      `the ${name} would take ${size} bytes, ${own} of them for the ownership marker${id}; the service accepts ${field.maxBytes}`,
      `shorten it by ${size - field.maxBytes} bytes in spec.${name}, or in the live resource if lifecycle.ignore names spec.${name}`,
    );
  }
}

/**
 * Refuses a replacement that would copy a live text that the manifest ignores and that is too long for a new resource
 * (`contradicts-live`): a service may have taken it when it counted otherwise.
 */
export function guardIgnoredTexts({ address, findings, kind }: OperationContext, spec: Spec): void {
  for (const { field, name } of kind.fieldList) {
    const value = spec[name];
    if (field.marker === true || field.maxBytes === undefined || typeof value !== "string") continue;
    const size = Buffer.byteLength(value, "utf8");
    if (size <= field.maxBytes) continue;
    findings.refuse(
      "contradicts-live",
      address,
      `the live ${name}, which the manifest ignores, takes ${size} bytes; the service accepts ${field.maxBytes} in the new ${kind.title}`,
      `remove spec.${name} from lifecycle.ignore, or shorten the live value`,
    );
  }
}
