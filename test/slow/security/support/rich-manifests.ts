import { makeCertificate } from "../../../../scripts/certificate.mjs";

export const pair: { readonly certificate: string; readonly key: string } = await makeCertificate(["a.example.com"]);

export const richManifests: { readonly [path: string]: string } = {
  "edge/chain.pem": pair.certificate,
  "edge/policy.yaml.txt":
    '{"on_tcp_connect":[{"name":"log","actions":[{"type":"log","config":{"metadata":{"a":"b"}}}]}]}',
  "edge/all.yaml": `apiVersion: edgewise/v1
kind: HTTPResponseBackend
metadata: {name: down}
spec: {status_code: 503, body: "<h1>down</h1>", headers: {X-A: b, Retry-After: "60"}, description: Maintenance}
---
apiVersion: edgewise/v1
kind: ReservedAddress
metadata: {name: tcp}
spec: {description: TCP, region: eu, metadata: {owner: payments, deep: {list: [1, 2]}}}
---
apiVersion: edgewise/v1
kind: IPRestriction
metadata: {name: office}
spec: {type: dashboard, enforced: false, ip_policies: [{id: ipp_1}, {id: ipp_2}], metadata: "plain text"}
---
apiVersion: edgewise/v1
kind: TLSCertificate
metadata: {name: www}
spec: {description: Certificate, certificate_pem: {file: chain.pem}, private_key_pem: {env: CERT_KEY}}
---
apiVersion: edgewise/v1
kind: TLSEdge
metadata: {name: api, labels: {team: a}}
lifecycle: {ignore: [spec.description]}
spec:
  description: API
  hostports: ["api.example.com:443", {address: tcp}]
  backend: {enabled: true, backend: {name: down}}
  ip_restriction: {ip_policies: [{id: ipp_1}]}
  mutual_tls: {certificate_authorities: [{id: ca_1}, {id: ca_2}]}
  tls_termination: {terminate_at: edge, min_version: "1.2"}
  traffic_policy: {value: {file: policy.yaml.txt}}
---
apiVersion: edgewise/v1
kind: TLSEdge
metadata: {name: second}
spec: {hostports: ["second.example.com:443"], metadata: {owner: b}}
---
apiVersion: edgewise/v1
kind: HTTPSEdge
metadata: {name: site, id: edghts_1}
spec: {tls_termination: {min_version: "1.3"}}
---
apiVersion: edgewise/v1
kind: HTTPSEdgeRoute
metadata: {name: hooks, id: edghtsrt_1}
spec:
  edge: {id: edghts_1}
  webhook_verification: {provider: GITHUB, secret: {env: HOOK_SECRET}}
  traffic_policy: {value: {on_http_request: [{name: deny, actions: [{type: deny}]}]}}
`,
};
