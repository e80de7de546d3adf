export interface LockTime {
  /** Never goes back, and does not stop while the machine sleeps. */
  readonly elapsed: () => number;
  /** Milliseconds since 1970; by this machine's clock until the service has told its time. */
  readonly serviceNow: () => number;
  /** Also for what was sent before the service told its time. */
  readonly serviceAt: (elapsed: number) => number;
  /** From a response's `Date` header. */
  readonly learn: (serviceTime: number) => void;
}

/** `Date` headers have whole seconds: on average half of one has passed. */
const halfSecond = 500;

/** `uptime` can't be set but may stop while the machine sleeps; `wall` may be set. */
export function lockTime(uptime: () => number, wall: () => number): LockTime {
  const [up, began] = [uptime(), wall()];
  let most = 0;
  // Whichever clock ran further: a lock that seems too old is only given up too early.
  const elapsed = (): number => (most = Math.max(most, uptime() - up, wall() - began));
  let offset = began;
  return {
    elapsed,
    serviceNow: () => elapsed() + offset,
    serviceAt: (then) => then + offset,
    learn: (serviceTime) => {
      offset = serviceTime + halfSecond - elapsed();
    },
  };
}
