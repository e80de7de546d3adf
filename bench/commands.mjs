// Start, `plan` and `apply` as whole processes, each in turn with the least that any program does for it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { posts, writeManifests, writeWorld } from "./account.mjs";
import { cli, inTurn, measure, path, singleFile, startService } from "./processes.mjs";

const ms = (value) => `${Math.round(value)} ms`;
const row = (what, own, other) => ({
  What: what,
  edgewise: ms(own.ms),
  Bare: ms(other.ms),
  Ratio: (own.ms / other.ms).toFixed(2),
  "Peak memory": `${Math.round(own.mib)} MiB`,
});
const counted = (count) => count.toLocaleString("en");

/** The start, beside Node that does nothing. */
export async function startBench({ folder, quick }) {
  writeManifests(folder, 5);
  const runs = [cli, singleFile].flatMap((program) => [
    [program, "--version"],
    [program, "validate"],
  ]);
  const all = [["-e", "0"], ...runs].map((args) => () => measure(args, { cwd: folder }));
  const [bare, ...own] = await inTurn(quick ? 1 : 11, ...all);
  const titles = [
    "`--version`",
    "`validate`, 5 manifests",
    "`--version`, one file",
    "`validate`, 5 manifests, one file",
  ];
  return titles.map((what, index) => row(what, own[index], bare));
}

/** Reading an account that matches its manifests, beside following the pages of its lists. */
export async function planBench({ folder, quick }) {
  const rows = [];
  for (const [count, rounds] of quick
    ? [[20, 1]]
    : [
        [100, 5],
        [1000, 5],
        [10_000, 3],
      ]) {
    writeManifests(folder, count);
    for (const latency of quick ? [50] : [0, 50]) {
      const data = join(folder, "world.json");
      writeWorld(data, count);
      const service = await startService(latency, data);
      const [env] = service.environments;
      const plan =
        (program, ...more) =>
        async () => {
          const run = await measure([program, "plan", ...more], { cwd: folder, env });
          if (!/No changes/.test(run.said)) throw new Error(run.said);
          return run;
        };
      try {
        const what = `${counted(count)} resources, ${latency} ms`;
        const bare = () => measure([path("bench/bare.mjs")], { env });
        const remembering = plan(cli, "--page-cache", "pages.json");
        await remembering();
        const [own, reader, ...more] = await inTurn(
          rounds,
          plan(cli),
          bare,
          ...(latency === 0 ? [] : [remembering]),
          ...(count === 10_000 ? [] : [plan(singleFile)]),
        );
        rows.push(row(what, own, reader));
        if (latency > 0) rows.push(row(`${what}, remembered pages beside without`, more.shift(), own));
        if (more.length > 0) rows.push(row(`${what}, one file`, more.shift(), reader));
      } finally {
        await service.close();
      }
    }
  }
  return rows;
}

/** Creating everything in an empty account and verifying it, beside a program that sends the same requests. */
export async function applyBench({ folder, quick }) {
  const rows = [];
  // At eight requests at a time, 10,000 writes of 50 ms alone take a minute.
  for (const [count, rounds, concurrency] of quick
    ? [[20, 1, 8]]
    : [
        [100, 3, 8],
        [1000, 3, 8],
        [10_000, 1, 32],
      ]) {
    writeManifests(folder, count);
    const requests = join(folder, "requests.json");
    writeFileSync(requests, JSON.stringify(posts(count)));
    const inNewAccount = (latency, args) => async () => {
      const service = await startService(latency, "-");
      try {
        return await measure(args, { cwd: folder, env: service.environments[0] });
      } finally {
        await service.close();
      }
    };
    for (const latency of quick ? [50] : [0, 50]) {
      const [own, writer] = await inTurn(
        rounds,
        inNewAccount(latency, [cli, "apply", "--auto-approve", "--concurrency", String(concurrency)]),
        inNewAccount(latency, [path("bench/bare.mjs"), requests, String(concurrency)]),
      );
      rows.push(row(`${counted(count)} resources, ${latency} ms, ${concurrency} at a time`, own, writer));
    }
  }
  return rows;
}
