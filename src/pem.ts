/** The longest chain of certificates that is read; each one costs a check of a signature. */
export const maxChain = 100;

const begin = "-----BEGIN CERTIFICATE-----";
const end = "-----END CERTIFICATE-----";
const dashes = "-----";

/**
 * The certificates of a PEM text in their order, each with its lines `-----BEGIN …` and `-----END …`. One that is not
 * closed reaches to the next line of dashes or to the end of the text; nothing can read it.
 * Looks at each character a fixed number of times, whatever the text is.
 */
export function certificateBlocks(pem: string): readonly string[] {
  const blocks: string[] = [];
  let start = pem.indexOf(begin);
  while (start !== -1) {
    const body = start + begin.length;
    const mark = pem.indexOf(dashes, body);
    const closed = mark !== -1 && pem.startsWith(end, mark);
    const stop = mark === -1 ? pem.length : closed ? mark + end.length : mark;
    blocks.push(pem.slice(start, stop));
    start = pem.indexOf(begin, stop);
  }
  return blocks;
}

/** What stands in a block of {@link certificateBlocks} without its two lines and without white space. */
export function certificateBody(block: string): string {
  const inner = block.slice(begin.length, block.endsWith(end) ? -end.length : undefined);
  return inner.replaceAll(/\s/gu, "");
}
