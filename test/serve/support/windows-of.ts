import { type Window, parseWindow } from "../../../src/serve/decide/windows.ts";

export function windowsOf(...texts: readonly string[]): readonly Window[] {
  return texts.map((text) => {
    const parsed = parseWindow(text);
    if (parsed === null) throw new Error(text);
    return parsed;
  });
}
