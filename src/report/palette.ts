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

const unpainted: Paint = (text) => text;

function ansi(open: string, close: string): Paint {
  return (text) => (text === "" ? "" : `\u001b[${open}m${text}\u001b[${close}m`);
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
  add: ansi("32", "39"),
  remove: ansi("31", "39"),
  change: ansi("33", "39"),
  replace: ansi("35", "39"),
  adopt: ansi("36", "39"),
  alarm: ansi("1;31", "22;39"),
  bold: ansi("1", "22"),
  dim: ansi("2", "22"),
};

/** The palette of a terminal, or one that paints nothing. */
export function palette(color: boolean): Palette {
  return color ? colored : plain;
}
