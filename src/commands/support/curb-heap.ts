import { getHeapStatistics, setFlagsFromString } from "node:v8";

/** From so much memory in use on, memory counts more than time, in bytes. Plans of 10,000 resources stay below it. */
const largeHeap = 256 * 1024 * 1024;

/** How much a large heap may grow between two full collections, in percent of what is in use. */
const growthPercent = 15;

/** The versions of V8 with which the flags were tried. */
const triedVersions = /^1[1-4]\./;

/** How often the heap is looked at, in milliseconds. */
const heapLookMs = 100;

/** The commands that run on and on: what their heap holds does not grow from its start to its end. */
const services = ["serve", "sandbox"];

/** V8's heap, unless a test gives another. */
interface Heap {
  /** As in `process.versions`. */
  readonly version: string;
  readonly used: () => number;
  readonly setFlags: (flag: string) => void;
}

const ownHeap: Heap = {
  version: process.versions.v8,
  used: () => getHeapStatistics().used_heap_size,
  setFlags: setFlagsFromString,
};

/**
 * Makes V8 collect garbage before a large heap has grown much further. By itself it lets the heap grow to four times what
 * is in use where a machine has the memory: a plan that changes 100,000 resources then takes twice what it needs, and is
 * killed in a container. Small runs never get there. Both flags only tune when garbage is collected. V8 prints an error for a
 * flag that it doesn't know, so they are set only where they were tried: V8 11 to 14, which is Node 20 to 26.
 * @param args of the command line
 */
export function curbHeapGrowth(args: readonly string[], heap = ownHeap): void {
  if (!triedVersions.test(heap.version) || args.some((arg) => services.includes(arg))) return;
  const timer = setInterval(() => {
    if (heap.used() < largeHeap) return;
    curbHeapNow(heap);
    clearInterval(timer);
  }, heapLookMs);
  timer.unref();
}

/**
 * The same at once, for a command that knows that much is coming: V8 decides at the end of a collection when the next one
 * will be, so what is told to it later comes too late for some.
 */
export function curbHeapNow(heap = ownHeap): void {
  if (!triedVersions.test(heap.version)) return;
  heap.setFlags(`--heap-growing-percent=${growthPercent}`);
  // What is made while V8 marks step by step is kept until the next collection.
  heap.setFlags("--no-incremental-marking");
}
