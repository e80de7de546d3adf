import { LockRequests, listLocks } from "../lock/lock-requests.js";
import { systemClock } from "../api/system-clock.js";
import { lockTime } from "../lock/service-time.js";
import type { Client } from "../api/client.js";
import { EdgewiseError } from "../core/errors.js";
import { type LockObject, describeLock, isExpired } from "../kinds/lock-object.js";
import { visibleLine } from "../core/visible.js";
import { type CommandContext, loadContext, requireStack } from "./support/command-context.js";
import { isConfirmed, requireApprover } from "./support/confirm.js";
import { withWriteClient } from "./support/connect.js";
import type { GuardedIo } from "./support/io.js";
import { checkOutput } from "./support/output-files.js";
import { writeResult } from "./support/output.js";
import { addExamples, addSharedOptions, type ConnectFlags, type DefineCommand } from "./support/command-options.js";

interface UnlockFlags extends ConnectFlags {
  readonly autoApprove?: boolean;
}

export const define: DefineCommand = (command, run) => {
  command.description(
    "Shows whose the account's lock is and removes it, if it is this stack's or has expired. An apply removes its own lock; use this after one that was killed.",
  );
  command.optionsGroup("Unlock:").option("-y, --auto-approve", "remove it without asking");
  addSharedOptions(command, ["text"], "config", "service");
  addExamples(command, [["edgewise unlock -e staging", "after an apply of staging was killed"]]);
  command.action((flags: UnlockFlags) => run(flags, async (io) => unlockCommand(flags, io)));
};

/** `unlock`: shows whose the account's lock is, asks, and removes it. */
export async function unlockCommand(flags: UnlockFlags, guardedIo: GuardedIo): Promise<number> {
  const context = await loadContext(flags, guardedIo);
  const stack = requireStack(context);
  await checkOutput(flags.outputFile, context.io);
  const stop = new AbortController();
  const end = context.io.onSignal((signal) => stop.abort(signal));
  try {
    return await withWriteClient(context, flags, stop.signal, async (_, connect) => {
      const time = lockTime(systemClock.now, Date.now);
      const client = connect({ signal: stop.signal, onServiceTime: time.learn });
      try {
        return await removeLocks({ client, context, flags, stack, serviceNow: time.serviceNow });
      } finally {
        await client.close();
      }
    });
  } finally {
    end();
  }
}

interface Unlock {
  readonly client: Client;
  readonly context: CommandContext;
  readonly flags: UnlockFlags;
  readonly stack: string;
  readonly serviceNow: () => number;
}

async function removeLocks({ client, context, flags, stack, serviceNow }: Unlock): Promise<number> {
  const locks = await listLocks(client);
  // The stack's own locks and expired ones may be removed; what another stack holds may not.
  const own = ["", stack, ...context.config.previousStacks];
  const mayGo = (lock: LockObject): boolean => own.includes(lock.stack) || isExpired(lock, serviceNow());
  const [removable, foreign] = [locks.filter(mayGo), locks.filter((lock) => !mayGo(lock))];
  showLocks(foreign, "stays", context);
  if (removable.length === 0) return nothingToRemove(foreign, stack, flags, context);
  showLocks(removable, "is to be removed", context);
  const remedy = "Make sure that the run which holds it has ended, then give --auto-approve.";
  requireApprover(flags, context.io, "confirm that the lock is removed", remedy);
  const question = "An apply that still runs goes on without the lock. Remove it?";
  if (flags.autoApprove !== true && !(await isConfirmed(question, context.io))) {
    throw new EdgewiseError("usage", "not approved: nothing was changed", { remedy: "Type yes to remove the lock." });
  }
  const requests = new LockRequests(client);
  const lines: string[] = [];
  for (const { id, stack: of } of removable) {
    const { error, outcome } = await requests.remove(id);
    if (outcome.saw === "lost" && error !== null) throw error;
    lines.push(visibleLine(`Removed the lock ${id} of stack ${JSON.stringify(of)}.`));
  }
  await writeResult(lines.join("\n"), flags, context.io);
  if (removable.some((lock) => !isExpired(lock, serviceNow()))) context.log.info(waitBeforeApply);
  return 0;
}

/** A create that the dead run sent, and that the lists don't show yet, would be created a second time. */
const waitBeforeApply =
  "Wait half a minute before you apply: the service may still be carrying out what that run sent.";

function showLocks(locks: readonly LockObject[], fate: string, { log }: CommandContext): void {
  for (const lock of locks)
    log.info(visibleLine(`The lock ${lock.id} ${fate}: ${describeLock(lock)}.`), { lock: lock.id });
}

async function nothingToRemove(
  foreign: readonly LockObject[],
  stack: string,
  flags: UnlockFlags,
  { io }: CommandContext,
): Promise<number> {
  const [first] = foreign;
  if (first !== undefined) {
    throw new EdgewiseError("locked", visibleLine(`the lock is another stack's: ${describeLock(first)}`), {
      remedy: `Wait until it ends. If that run ended without removing its lock, unlock with --stack ${JSON.stringify(first.stack)}.`,
      exit: 4,
    });
  }
  await writeResult(`Nothing to unlock: stack ${JSON.stringify(stack)} has no lock.`, flags, io);
  return 0;
}
