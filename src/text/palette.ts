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

/** The palette of a terminal, or one that paints nothing. */
export function palette(color: boolean): Palette {
  return color ? colored : plain;
}

const unpainted: Paint = (text) => text;

type Style = "green" | "red" | "yellow" | "magenta" | "cyan" | "bold" | "dim";

/** The caller decides whether there are colours, so Node's own check of stdout and `NO_COLOR` is switched off. */
function style(...format: readonly Style[]): Paint {
  return (text) => (text === "" ? "" : styleText([...format], text, { validateStream: false }));
}

const plain: Palette = {
  add: unpainted,
  remove: unpainted,
  change: unpainted,
  replace: unpainted,
  adopt: unpainted,
  alarm: unpainted,
  bold: unpainted,
  dim: unpainted,
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
