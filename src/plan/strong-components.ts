import type { OperationGraph } from "./graph.js";

/** Sets of nodes that wait for each other in a circle (Tarjan, without recursion). Linear. */
export function strongComponents(graph: OperationGraph): readonly (readonly number[])[] {
  const index = new Map<number, number>();
  const low = new Map<number, number>();
  const open: number[] = [];
  const isOpen = new Set<number>();
  const components: number[][] = [];
  for (let root = 0; root < graph.size; root += 1) {
    if (index.has(root)) continue;
    const path: { readonly node: number; next: number }[] = [{ node: root, next: 0 }];
    while (path.length > 0) {
      const step = path.at(-1);
      if (step === undefined) break;
      const { node } = step;
      if (step.next === 0) {
        index.set(node, index.size);
        low.set(node, index.size - 1);
        open.push(node);
        isOpen.add(node);
      }
      const child = graph.after(node)[step.next];
      step.next += 1;
      if (child !== undefined) {
        if (!index.has(child)) path.push({ node: child, next: 0 });
        else if (isOpen.has(child)) low.set(node, Math.min(low.get(node) ?? 0, index.get(child) ?? 0));
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent !== undefined) low.set(parent.node, Math.min(low.get(parent.node) ?? 0, low.get(node) ?? 0));
      if (low.get(node) !== index.get(node)) continue;
      const component: number[] = [];
      for (let member = open.pop(); member !== undefined; member = open.pop()) {
        isOpen.delete(member);
        component.push(member);
        if (member === node) break;
      }
      if (component.length > 1) components.push(component.toSorted((a, b) => a - b));
    }
  }
  return components;
}
