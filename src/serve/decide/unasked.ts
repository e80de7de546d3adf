import { type Impact, isAtLeast } from "../../kinds/impact.js";
import type { Change, Plan } from "../../plan/plan-format.js";
import type { Autonomy, StackPolicy } from "../fleet/fleet.js";
import type { ChangeOrigin } from "../records.js";

export interface JudgedChange {
  readonly change: Change;
  readonly origin: ChangeOrigin;
  readonly apply: StackPolicy["apply"];
  readonly missingSecrets: readonly string[];
}

/** Why a change is not carried out unasked, and what would allow it; null = it may be. */
export function whyNotUnasked({ change, origin, apply, missingSecrets }: JudgedChange): string | null {
  const { action, impact } = change;
  if (missingSecrets.length > 0)
    return `it needs a secret that can't be read here: ${missingSecrets.join(", ")}. Put it into the stack's directory of secrets`;
  if (impact === "irreversible") return `it can't be undone, so it is never done unasked. ${approval}`;
  if (origin !== "commit" && (action === "delete" || action === "replace"))
    return `${whose[origin]}, and what deletes a resource is then never done unasked. ${approval}`;
  const tooLow = neededOf[origin].filter((which) => !allows(apply[which], impact));
  if (tooLow.length === 0) return null;
  const is = tooLow.map((which) => `apply.${which} is ${apply[which]}`).join(" and ");
  const needed = tooLow.map((which) => `${which}: ${impact === "none" ? "none" : impact}`).join(", ");
  return `${whose[origin]}, its impact is ${impact}, and ${is}. ${approval}, or the fleet file has to allow it (apply: {${needed}})`;
}

const approval = "Somebody has to approve it";

const whose: { readonly [O in ChangeOrigin]: string } = {
  commit: "a commit asks for it",
  drift: "it undoes what somebody changed live",
  both: "nobody knows whether it undoes what somebody changed live",
};

const neededOf: { readonly [O in ChangeOrigin]: readonly ("commit" | "drift")[] } = {
  commit: ["commit"],
  drift: ["drift"],
  both: ["commit", "drift"],
};

function allows(autonomy: Autonomy, impact: Impact): boolean {
  return autonomy !== "never" && isAtLeast(autonomy, impact);
}

export function missingSecretsOf(
  { address, fields }: Change,
  { operations, unavailableSecrets }: Plan,
): readonly string[] {
  const sources = fields.flatMap(({ unavailable }) => unavailable ?? []);
  // A module is sent as a whole: also a secret in it that could not be compared, and so is no difference.
  const sendsSecrets = operations.some(
    (operation) => operation.address === address && Object.values(operation.bind).some((bound) => "secret" in bound),
  );
  const uncompared = unavailableSecrets.filter((one) => sendsSecrets && one.address === address);
  return [...new Set([...sources, ...uncompared.map(({ source }) => source)])];
}
