import { EdgewiseError } from "../../core/errors.js";
import { type TfResource, readTfState } from "../../export/read-tfstate.js";
import { limits } from "../../core/limits.js";
import { readJsonFile } from "./json-file.js";

/**
 * Reads what a Terraform state manages. The file holds secrets in clear: no error quotes
 * it, and nothing of it is kept but addresses and ids.
 * @param file as the user named it, relative to `cwd`; a pipe that ends will do
 * @throws EdgewiseError `io`
 */
export async function readTfStateFile(file: string, cwd: string): Promise<readonly TfResource[]> {
  const parsed = await readJsonFile(file, cwd, { most: limits.stateBytes, deepest: limits.depth });
  if ("value" in parsed) {
    const state = readTfState(parsed.value);
    if ("resources" in state) return state.resources;
    throw new EdgewiseError("io", `${file} ${state.problem}`, { remedy: state.remedy });
  }
  const { problem } = parsed;
  const why = problem === "depth" ? "it is nested deeper than any state" : parsed.why;
  throw new EdgewiseError("io", `${file} can't be used as a Terraform state: ${why}`, {
    remedy: "Name a state file (version 4), or a pipe with what `terraform state pull` prints.",
    ...(problem === "unread" ? { cause: parsed.cause } : {}),
  });
}
