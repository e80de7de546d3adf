// Whole processes: Node alone, `--version`, `validate` of five manifests, also as one file.
import { join } from "node:path";
import { writeManifests } from "./account.mjs";
import { atMost, ms, ratio } from "./format.mjs";
import { inTurn, measure, median } from "./measure.mjs";
import { cli, singleFile } from "./paths.mjs";

export async function startup({ folder, rounds }) {
  const few = join(folder, "few");
  writeManifests(few, 5, 1);
  const [bare, version, validate, oneVersion, oneValidate] = await inTurn(
    rounds * 5,
    () => measure(["-e", "0"]),
    () => measure([cli, "--version"]),
    () => measure([cli, "validate"], { cwd: few }),
    () => measure([singleFile, "--version"]),
    () => measure([singleFile, "validate"], { cwd: few }),
  );
  const node = median(bare.map((run) => run.ms));
  const row = (what, runs, goalOf = () => []) => {
    const own = median(runs.map((run) => run.ms));
    return { what, measured: ms(own), against: `bare Node ${ms(node)}`, ratio: ratio(own, node), goal: goalOf(own) };
  };
  return [
    row("`--version`", version, (own) => atMost(own / node, 1.35)),
    row("`validate`, 5 manifests", validate, (own) => atMost(own / node, 2)),
    row("`--version` of the one file", oneVersion, (own) => atMost(own - node, 40, "≤ 40 ms more")),
    row("`validate`, 5 manifests, of the one file", oneValidate),
  ];
}
