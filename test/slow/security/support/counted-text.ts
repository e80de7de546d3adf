/** A text that counts how many of its characters are read; reads of its slices count too. */
export interface Counted {
  readonly text: string;
  readonly looked: () => number;
}

export function counted(plain: string): Counted {
  let looks = 0;
  class CountedText extends String {
    override charAt(at: number): string {
      looks += 1;
      return super.charAt(at);
    }
    override charCodeAt(at: number): number {
      looks += 1;
      return super.charCodeAt(at);
    }
    override startsWith(search: string, at?: number): boolean {
      looks += search.length;
      return super.startsWith(search, at);
    }
    override indexOf(search: string, from = 0): number {
      const found = super.indexOf(search, from);
      looks += (found === -1 ? this.length : found + search.length) - from;
      return found;
    }
    override slice(from?: number, to?: number): string {
      const piece = super.slice(from, to);
      looks += piece.length;
      return piece;
    }
  }
  // It has every method of a string; only typeof distinguishes them.
  return { text: new CountedText(plain) as unknown as string, looked: () => looks };
}
