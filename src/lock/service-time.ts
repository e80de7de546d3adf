/** The time of the service, and the time that has passed: a lock depends on both. */
export interface LockTime {
  /** Milliseconds by a clock that never goes back and does not stop while the machine sleeps. */
  readonly elapsed: () => number;
  /** Milliseconds since 1970 by the service's clock; by this machine's until the service has told its time. */
  readonly serviceNow: () => number;
  /** The service's time when so much had passed: of a request that was sent before the service told its time, too. */
  readonly serviceAt: (elapsed: number) => number;
  /** Learns the service's time from a response's `Date` header, in milliseconds. */
  readonly learn: (serviceTime: number) => void;
}

/** `Date` headers have whole seconds: on average half of one has passed. */
const halfSecond = 500;

/**
 * @param uptime milliseconds by a clock that nobody can set; it may stop while the machine sleeps
 * @param wall milliseconds since 1970 by this machine's clock; it may be set
 */
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
