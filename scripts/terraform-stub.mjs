// What docs/live-services.md needs of Terraform, over the file TERRAFORM_STUB_STATE: state pull, state rm, which
// fails for an address that the state doesn't have, and a plan without changes.
import { readFileSync, writeFileSync } from "node:fs";

const file = process.env.TERRAFORM_STUB_STATE ?? "";
const state = JSON.parse(readFileSync(file, "utf8"));
const addressOf = ({ module, name, type }, { index_key: key }) =>
  `${module === undefined ? "" : `${module}.`}${type}.${name}${key === undefined ? "" : `[${JSON.stringify(key)}]`}`;

const [command, verb, ...rest] = process.argv.slice(2);
if (command === "state" && verb === "pull") process.stdout.write(`${JSON.stringify(state, null, 2)}\n`);
else if (command === "state" && verb === "rm") {
  for (const address of rest) {
    const resource = state.resources.find((each) => each.instances.some((one) => addressOf(each, one) === address));
    if (resource === undefined) throw new Error(`no resource has the address ${address}`);
    resource.instances = resource.instances.filter((one) => addressOf(resource, one) !== address);
  }
  writeFileSync(file, JSON.stringify(state));
} else if (command !== "plan") {
  throw new Error(`terraform ${process.argv.slice(2).join(" ")} is not needed by the page`);
}
