import type { CodeEntry } from "./codes.js";

/** Problems of the operator's fleet file, and of what repositories ask for beyond it. */
export const fleetCodes = {
  "fleet-name-unknown": error(
    "The fleet file names a source or an account that it does not have.",
    "Correct the name, or add what it names.",
  ),
  "fleet-git-url": error(
    "The address of a source can't be used: its protocol is not safe, or it holds a password.",
    "Use https, ssh, file or a path; a token goes into `credentials`.",
  ),
  "fleet-file-unusable": error(
    "A secret or a file of signers that the fleet file names can't be used.",
    "Check the path, which is relative to the fleet file, and the file's permissions.",
  ),
  "fleet-path": error(
    "A path or a pattern of the fleet file can't be used.",
    "Write the path of a file in the source, relative to its top.",
  ),
  "fleet-window": error(
    "A window can't be read.",
    "Write days, hours and a time zone, such as mon-fri 07:00-17:00 Europe/Berlin.",
  ),
  "fleet-stack-twice": error(
    "Two stacks of a fleet are one and the same, or claim the same thing.",
    "Remove one of them, or give them different names, markers or ids.",
  ),
  "fleet-stack-name": error(
    "A stack can't be named: its name would be no valid component of a Git ref.",
    "Rename the directory that the pattern matched.",
  ),
  "fleet-not-allowed": error(
    "A repository asks for something that the fleet file of `edgewise serve` does not allow.",
    "Remove it, or have the operator allow it in the fleet file, at the line that the message names.",
  ),
} as const satisfies { readonly [code: string]: CodeEntry };

function error(description: string, remedy: string): CodeEntry {
  return { severity: "error", description, remedy };
}
