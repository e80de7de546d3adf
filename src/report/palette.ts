import { styleText } from "node:util";

/** Colours by meaning, as functions of text. */
export interface Palette {
  readonly add: Paint;
  readonly remove: Paint;
  readonly change: Paint;
  readonly replace: Paint;
  readonly adopt: Paint;
  readonly alarm: Paint;
  readonly bold: Paint;
  readonly dim: Paint;
}

export type Paint = (text: string) => string;

type Style = "green" | "red" | "yellow" | "magenta" | "cyan" | "bold" | "dim";

const none: Paint = (text) => text;

/** Whether there are colours is decided by the caller, not by Node's look at stdout and `NO_COLOR`. */
function style(...format: readonly Style[]): Paint {
  return (text) => (text === "" ? "" : styleText([...format], text, { validateStream: false }));
}

const plain: Palette = {
  add: none,
  remove: none,
  change: none,
  replace: none,
  adopt: none,
  alarm: none,
  bold: none,
  dim: none,
};

const colored: Palette = {
  add: style("green"),
  remove: style("red"),
  change: style("yellow"),
  replace: style("magenta"),
  adopt: style("cyan"),
  alarm: style("bold", "red"),
  bold: style("bold"),
  dim: style("dim"),
};

/** The palette of a terminal, or one that paints nothing. */
export function palette(color: boolean): Palette {
  return color ? colored : plain;
}
