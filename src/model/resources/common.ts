import type { Json } from "../../json.js";
import type { ModelContext } from "../context.js";
import { text } from "../read-body.js";

/** Specification, "Limits": in bytes. */
export const descriptionText = text(255);
export const metadataText = text(4096);

/** An optional text as it is stored: "" clears it. */
export function storedText(value: string | undefined, context: ModelContext): Json {
  return value === undefined || value === "" ? context.world.options.unsetText : value;
}

/** The description and metadata that a body names, as they are stored. */
export function namedTexts(
  body: { readonly description?: string; readonly metadata?: string },
  context: ModelContext,
): { readonly [member: string]: Json } {
  return {
    ...(body.description === undefined ? {} : { description: storedText(body.description, context) }),
    ...(body.metadata === undefined ? {} : { metadata: storedText(body.metadata, context) }),
  };
}
