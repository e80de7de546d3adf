// The steps of the demo with their expected exit codes. The README shows the output of the same steps.

/** Somebody changes an edge by hand in the console. */
async function editInConsole(session) {
  const { tls_edges: edges } = await session.request("GET", "/edges/tls");
  const edge = edges.find((found) => found.hostports.includes("api.example.com:443"));
  const body = {
    description: "Public API (old clients, do not touch!)",
    tls_termination: { enabled: true, terminate_at: "edge", min_version: "1.0" },
  };
  await session.request("PATCH", `/edges/tls/${edge.id}`, body);
  return {
    command: `curl -X PATCH $EDGEWISE_BASE_URL/edges/tls/${edge.id} --json '${JSON.stringify(body)}'`,
    code: 0,
    output: "",
  };
}

const edgewise = (...args) => ({
  run: async (session) => ({ command: ["edgewise", ...args].join(" "), ...session.run(...args) }),
});

/** The steps in order. Documents refer to them by `name`. */
export const steps = [
  { name: "validate", title: "Check the manifests, offline", exit: 0, ...edgewise("validate") },
  { name: "plan", title: "What would change", exit: 0, ...edgewise("plan") },
  { name: "apply", title: "Do it", exit: 0, ...edgewise("apply", "--auto-approve") },
  { name: "again", title: "Nothing is left to do", exit: 0, ...edgewise("plan", "--detailed-exitcode") },
  { name: "edit", title: "Somebody edits the edge by hand", exit: 0, run: editInConsole },
  { name: "drift", title: "Find it", exit: 2, ...edgewise("drift") },
  { name: "repair", title: "Make it so again", exit: 0, ...edgewise("apply", "--auto-approve") },
  { name: "clean", title: "No drift any more", exit: 0, ...edgewise("drift") },
];

/** More steps for the documents: a pull request after the demo. */
export const furtherSteps = [
  {
    name: "update",
    exit: 2,
    run: (session) => {
      session.edit("edge/api.yaml", 'min_version: "1.2"', 'min_version: "1.3"');
      session.edit("edge/maintenance.yaml", "Back in a minute.", "Back in five minutes.");
      return edgewise("plan", "--detailed-exitcode").run(session);
    },
  },
];
