import { expect, it } from "vitest";
import { needs, shells, typist } from "./tab-key.ts";

it.for(shells)("the Tab key in %s completes commands, flags and choices, else files", async (shell, context) => {
  needs(context, "zsh", shell);
  const typing = await typist(shell);
  await typing.write("monday.json", "{}");
  const cases: readonly (readonly [string, string])[] = [
    ["edgewise pla", "edgewise plan "],
    ["edgewise help pla", "edgewise help plan "],
    ["edgewise plan --de", "edgewise plan --detailed-exitcode "],
    ["edgewise validate -o sa", "edgewise validate -o sarif "],
    ["edgewise validate --output=sa", "edgewise validate --output=sarif "],
    ["edgewise export TLSE", "edgewise export TLSEdge "],
    ["edgewise show mon", "edgewise show monday.json "],
    ["edgewise plan -c mon", "edgewise plan -c monday.json "],
  ];
  expect(typing.type(...cases.map(([typed]) => `${typed}\t`))).toEqual(cases.map(([, line]) => line));
});
