import { checkBaseUrl, waits } from "../../config/api-config.js";
import { parseDuration } from "../../core/duration.js";
import { configDefaults } from "../../generated/config-defaults.js";
import { placeText } from "./fleet-line.js";
import type { FleetAccount } from "./fleet.js";
import type { Refusals } from "./refusals.js";

/**
 * `api` of a configuration. Where the key is sent, and how the service is called, is said by the fleet's account alone: a
 * member that says what holds anyway is harmless, every other one is refused. serve waits as long as the defaults say.
 */
export function refuseApiWishes(account: FleetAccount, refusals: Refusals): void {
  const line = `accounts.${account.name} (${placeText(account.place)})`;
  const refuse = (member: string, what: string): void =>
    refusals.add(["api", member], `api.${member} ${what}`, `Remove it, or have the operator write it in ${line}.`);

  const baseUrl = refusals.valueOf(["api", "baseUrl"]);
  if (typeof baseUrl === "string") {
    const checked = checkBaseUrl(baseUrl, false);
    // The text is not quoted: it may hold a password.
    if (!("url" in checked) || checked.url !== account.baseUrl) {
      refuse("baseUrl", `is not ${account.baseUrl}, the address that ${line} has: the key is sent nowhere else`);
    }
  }
  const header = refusals.valueOf(["api", "versionHeader"]);
  if (typeof header === "string" && header.toLowerCase() !== account.versionHeader.toLowerCase()) {
    refuse("versionHeader", `is not ${account.versionHeader}, which ${line} has`);
  }
  const modules = refusals.valueOf(["api", "moduleEndpoints"]);
  if (Array.isArray(modules)) {
    const more = modules.filter((module) => typeof module === "string" && !account.moduleEndpoints.includes(module));
    if (more.length > 0) refuse("moduleEndpoints", `has ${more.join(", ")}, which ${line} has not`);
  }
  const most = refusals.valueOf(["api", "requestsPerMinute"]);
  if (typeof most === "number" && most !== account.requestsPerMinute) {
    refuse("requestsPerMinute", `is not what ${line} has, which all stacks of the account share`);
  }
  for (const member of ["timeout", "deadline", "settle"] as const) {
    const text = refusals.valueOf(["api", member]);
    if (typeof text !== "string" || parseDuration(text, waits) === configDefaults.api[member]) continue;
    const message = `api.${member} is not for the repository to say: serve decides how long it waits`;
    const remedy = `Remove it. \`deadline\` of an entry below stacks limits a pass; the account is ${line}.`;
    refusals.add(["api", member], message, remedy);
  }
}
