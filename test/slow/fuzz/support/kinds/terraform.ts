import type { Json, JsonObject } from "../../../../../src/json.ts";
import type { Dice } from "../../../chaos/support/dice.ts";
import { resource, shownState, tfState, type StateResource } from "../../../../export/support/tfstate.ts";
import type { Ground } from "../ground.ts";
import { withOddBytes, withOddPlaces } from "../odd.ts";

const lists: { readonly [kind: string]: readonly JsonObject[] } = {
  ReservedAddress: [{ id: "ra_1", addr: "1.tcp.example:20001", region: "eu" }],
  HTTPResponseBackend: [{ id: "bkdhr_1", status_code: 200 }],
};

const resources: readonly StateResource[] = [
  { ...resource("ngrok_reserved_addr.tcp", "ra_1", { key: "eu" }), module: 'module.a["b.c"].module.d[0]' },
  resource("ngrok_http_response_backend.soon", "bkdhr_1", { key: 0 }),
  resource("ngrok_http_response_backend.gone", "bkdhr_2", { status: "tainted" }),
  resource("ngrok_http_response_backend.old", "bkdhr_3", { deposed: "0a1b2c3d" }),
  resource("ngrok_edge_https.web", "edghts_1"),
  {
    type: "ngrok_edge_https",
    name: "hooks",
    instances: [{ attributes: { id: "edghts_2", routes: [{ id: "edghtsrt_1", match: "CANARY" }, {}] } }],
  },
  resource("ngrok_domain.app", "rd_1"),
  resource("aws_instance.vm", "i-1"),
];

export async function statesRun(dice: Dice, ground: Ground): Promise<void> {
  ground.service.begin({ lists }, null);
  const state: Json = dice.pick([tfState, shownState])(...resources);
  const text = JSON.stringify(dice.chance(0.8) ? withOddPlaces(state, dice) : state);
  ground.write("terraform.tfstate", dice.chance(0.2) ? withOddBytes(text, dice) : text);
  const { err, exit, out } = await ground.go([
    "export",
    "--from-tfstate",
    "terraform.tfstate",
    ...dice.pick([[], ["-o", "json"], ["--all"], ["--log-format", "json"], ["ReservedAddress"]]),
  ]);
  if (/CANARY/u.test(out + err)) ground.report("a value of the state is shown");
  if (exit !== 0 && exit !== 1) ground.report(`exit code ${exit}`);
}
