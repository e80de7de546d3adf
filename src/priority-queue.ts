/** What waits, lowest number first. A binary heap: adding and taking are O(log n). */
export class PriorityQueue<T> {
  readonly #items: { readonly priority: number; readonly item: T }[] = [];

  add(priority: number, item: T): void {
    const items = this.#items;
    const entry = { priority, item };
    let at = items.length;
    items.push(entry);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = items[above];
      if (parent === undefined || parent.priority <= priority) break;
      items[at] = parent;
      at = above;
    }
    items[at] = entry;
  }

  /** Takes out the item with the lowest number; undefined when there is none. */
  take(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (first === undefined || last === undefined || items.length === 0) return first?.item;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      const left = items[below];
      if (left === undefined) break;
      const right = items[below + 1];
      if (right !== undefined && right.priority < left.priority) below += 1;
      const child = items[below];
      if (child === undefined || child.priority >= last.priority) break;
      items[at] = child;
      at = below;
    }
    items[at] = last;
    return first.item;
  }
}
