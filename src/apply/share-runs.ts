/**
 * A function whose calls share runs of another: a call never gets a run that began before the call, and while one run
 * goes on all further calls get the next. So there is at most one at a time, however many calls there are.
 */
export function singleFlight<T>(run: () => Promise<T>): () => Promise<T> {
  let current: Promise<unknown> | null = null;
  let next: Promise<T> | null = null;
  const start = (): Promise<T> => {
    const started = run();
    const over = started.then(
      () => {},
      () => {},
    );
    current = over;
    void over.then(() => {
      if (current === over) current = null;
    });
    return started;
  };
  return () => {
    if (next !== null) return next;
    if (current === null) return start();
    next = current.then(() => {
      next = null;
      return start();
    });
    return next;
  };
}
