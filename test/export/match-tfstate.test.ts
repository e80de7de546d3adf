import { describe, expect, it } from "vitest";
import { forListedKinds } from "../../src/kinds/names.ts";
import { type MatchedState, matchTfState } from "../../src/export/match-tfstate.ts";
import { readTfState } from "../../src/export/read-tfstate.ts";
import { resource, tfState, type StateResource } from "./support/tfstate.ts";

function matched(...resources: readonly StateResource[]): MatchedState {
  const state = readTfState(tfState(...resources));
  if (!("resources" in state)) throw new Error(state.problem);
  return matchTfState(
    state.resources,
    forListedKinds(() => []),
  );
}

describe("the resources of a state", () => {
  it("are found under every name that published versions of a provider gave their types", () => {
    const found = matched(
      resource("ngrok_ip_restriction.a", "ipx_1"),
      resource("ngrok_reserved_addr.b", "ra_1"),
      resource("ngrok_tcp_address.c", "ra_2"),
      resource("ngrok_tls_certificate.d", "cert_1"),
      resource("ngrok_http_response_backend.e", "bkdhr_1"),
      resource("ngrok_edge_tls.f", "edgtls_1"),
      resource("ngrok_edge_https.g", "edghts_1"),
    );
    expect(Object.fromEntries(found.names)).toEqual({
      "IPRestriction/ipx_1": "a",
      "ReservedAddress/ra_1": "b",
      "ReservedAddress/ra_2": "c",
      "TLSCertificate/cert_1": "d",
      "HTTPResponseBackend/bkdhr_1": "e",
      "TLSEdge/edgtls_1": "f",
      "HTTPSEdge/edghts_1": "g",
    });
    expect(found.unmanaged).toEqual([]);
  });

  it("are not taken from a provider of something else whose types sound alike", () => {
    const found = matched(
      resource("ngrok_reserved_addr.tcp", "ra_1"),
      resource("fastly_tls_certificate.www", "7f2c"),
      resource("other_ip_restriction.office", "42"),
      resource("ngrok_domain.app", "rd_1"),
    );
    expect([...found.names.keys()]).toEqual(["ReservedAddress/ra_1"]);
    expect(found.unmanaged.map(({ ofService, type }) => [type, ofService])).toEqual([
      ["ngrok_domain", true],
      ["fastly_tls_certificate", false],
      ["other_ip_restriction", false],
    ]);
  });

  it("are read from states that were upgraded from version 3", () => {
    const state = {
      version: 4,
      resources: [
        { mode: "managed", type: "ngrok_reserved_addr", name: "tcp", instances: [{ attributes_flat: { id: "ra_1" } }] },
      ],
    };
    expect(readTfState(state)).toMatchObject({ resources: [{ id: "ra_1" }] });
  });
});
