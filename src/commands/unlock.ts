import type { Client } from "../api/client.js";
import { systemClock } from "../api/system-clock.js";
import { EdgewiseError } from "../core/errors.js";
import { type LockObject, describeLock, isExpired } from "../kinds/lock-object.js";
import { listLocks, removeLock, lockTime } from "../lock/account-lock.js";
import { visibleLine } from "../core/visible.js";
import { type CommandContext, loadContext, requireStack } from "./support/command-context.js";
import { type CommandIo, confirm, requireApprover } from "./support/command-io.js";
import { type Flags, type DefineCommand } from "./support/command-options.js";
import { withWriteClient } from "./support/connect.js";
import { checkOutput, writeResult } from "./support/output.js";

export const define: DefineCommand = (command, run) =>
  command
    .description("Shows whose it is, and removes it only when it is this stack's or has expired.")
    .option("-y, --auto-approve", "remove it without asking")
    .shared(["text"], "config service")
    .examples([["edgewise unlock -e staging", "after an apply of staging was killed"]])
    .action(run(unlock));

async function unlock(commandIo: CommandIo, flags: Flags) {
  const context = await loadContext(flags, commandIo);
  const { io } = context;
  const stack = requireStack(context);
  await checkOutput(io);
  const stop = new AbortController();
  const end = io.onSignal((signal) => stop.abort(signal));
  try {
    return await withWriteClient(context, stop.signal, async (_, connect) => {
      const time = lockTime(systemClock.now, Date.now);
      const client = connect({ signal: stop.signal, onServiceTime: time.learn });
      try {
        return await removeLocks(client, stack, context, time.serviceNow);
      } finally {
        await client.close();
      }
    });
  } finally {
    end();
  }
}

async function removeLocks(
  client: Client,
  stack: string,
  { config, flags, io }: CommandContext,
  serviceNow: () => number,
) {
  const locks = await listLocks(client);
  const show = (lock: LockObject, fate: string): void =>
    io.log.info(visibleLine(`The lock ${lock.id} ${fate}: ${describeLock(lock)}.`), { lock: lock.id });
  const own = ["", stack, ...config.previousStacks];
  const mayGo = (lock: LockObject) => own.includes(lock.stack) || isExpired(lock, serviceNow());
  const [removable, foreign] = [locks.filter(mayGo), locks.filter((lock) => !mayGo(lock))];
  for (const lock of foreign) show(lock, "stays");
  const [first] = foreign;
  if (removable.length === 0 && first !== undefined)
    throw new EdgewiseError("locked", visibleLine(`the lock is another stack's: ${describeLock(first)}`), {
      remedy: `Wait until it ends. If its run was killed, give --stack ${JSON.stringify(first.stack)}.`,
      exit: 4,
    });
  if (removable.length === 0) {
    await writeResult(`Nothing to unlock: stack ${JSON.stringify(stack)} has no lock.`, io);
    return 0;
  }
  for (const lock of removable) show(lock, "is to be removed");
  const remedy = "Give --auto-approve once the run that holds it has ended.";
  requireApprover(flags, io, "confirm that the lock is removed", remedy);
  const question = "An apply that still runs goes on without the lock. Remove it?";
  if (!flags.autoApprove) await confirm(question, io, "remove the lock");
  for (const { id } of removable) await removeLock(client, id);
  const lines = removable.map(({ id, stack: of }) => `Removed the lock ${id} of stack ${JSON.stringify(of)}.`);
  await writeResult(lines.map(visibleLine).join("\n"), io);
  // What the dead run sent, and lists don't show yet, would be created a second time.
  if (removable.some((lock) => !isExpired(lock, serviceNow())))
    io.log.info("Wait half a minute before you apply: the service may still carry out what that run sent.");
  return 0;
}
