# Sourced by pages, while the sandbox runs: the example quickstart in a Git repository, and applied unless UNAPPLIED is set.
cp -R "$REPOSITORY/examples/quickstart" edge-prod && cd edge-prod &&
  make-certificate ../www www.example.com && cp ../www.pem edge/www.pem &&
  export EDGEWISE_API_KEY=demo-key EDGEWISE_BASE_URL="$PAGE_SANDBOX" QUICKSTART_TLS_KEY="$(cat ../www.key)" &&
  git init -q && git add -A && git commit -qm "Describe the account" &&
  { [ -n "$UNAPPLIED" ] || edgewise apply --auto-approve; }
