import { applying, refuseToAskNobody } from "./apply.js";
import { loadContext } from "./context.js";
import type { Io } from "./io.js";
import { makePlanFrom } from "./make-plan-from.js";
import type { DestroyFlags } from "./plan-flags.js";
import { planOptions } from "./plan-options.js";
import { preparedFrom } from "./prepared.js";
import { provenanceOf } from "./provenance.js";

/** `destroy`: a plan with nothing desired, under the same guards but `empty-desired`, by the same path as apply. */
export async function destroyCommand(flags: DestroyFlags, plain: Io): Promise<number> {
  refuseToAskNobody(flags, plain);
  const context = await loadContext(flags, plain);
  return applying(context, flags, async (client) => {
    const provenance = await provenanceOf(context, flags, true);
    const options = planOptions(context, flags, [], { provenance, prune: true, destroy: true });
    return preparedFrom(await makePlanFrom(context, client, [], options), client);
  });
}
