import { type Window, parseWindow } from "../../../src/serve/decide/windows.ts";

/** Windows, as the fleet file has them. */
export function windowsOf(...texts: readonly string[]): readonly Window[] {
  return texts.map((text) => {
    const parsed = parseWindow(text);
    if ("problem" in parsed) throw new Error(parsed.problem);
    return parsed;
  });
}
