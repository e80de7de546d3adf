/** One element of DER (ITU-T X.690): its tag byte and its content. */
export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
}

/** The tags that certificates need. */
export const derTag = { boolean: 0x01, oid: 0x06, bitString: 0x03, octetString: 0x04, extensions: 0xa3 } as const;

/**
 * The elements that stand one after the other in DER.
 * @throws RangeError when a length reaches past the end; certificates that Node has parsed don't
 */
export function derElements(bytes: Uint8Array): readonly DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = byteAt(bytes, at);
    let length = byteAt(bytes, at + 1);
    at += 2;
    if (length >= 0x80) {
      const size = length & 0x7f;
      length = 0;
      for (const end = at + size; at < end; at++) length = length * 256 + byteAt(bytes, at);
    }
    if (at + length > bytes.length) throw new RangeError("DER ends early");
    elements.push({ tag, content: bytes.subarray(at, at + length) });
    at += length;
  }
  return elements;
}

function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new RangeError("DER ends early");
  return byte;
}
