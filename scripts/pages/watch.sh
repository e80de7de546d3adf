# Sourced by pages. `watch HOSTPORT` looks all the time whether an edge serves it; `unwatch` fails if there was a moment in
# which none did, or if it hardly looked. The sandbox must delay writes (--fault delay=500ms,method=PATCH): a gap between two
# of them is then long enough to be seen.
watch() {
  node --input-type=module -e '
    const headers = { authorization: "Bearer demo-key", "service-version": "2" };
    for (;;) {
      const edges = await (await fetch(`${process.env.PAGE_SANDBOX}/edges/tls`, { headers })).text();
      console.log(edges.includes(JSON.stringify(process.argv[1])) ? "served" : "gap");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }' "$1" > ~/watched &
  watcher=$!
  while [ ! -s ~/watched ]; do sleep 0.05; done
}

unwatch() {
  sleep 0.3
  kill "$watcher"
  [ "$(grep -c served ~/watched)" -gt 2 ] && ! grep -q gap ~/watched
}
