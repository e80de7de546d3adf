# Sourced by pages. `watch HOSTPORT` looks all the time whether an edge serves it; `unwatch` fails if there was a moment in
# which none did, or if it hardly looked. The sandbox must delay writes (--fault delay=500ms,method=PATCH): a gap between two
# of them is then long enough to be seen.
watch() {
  while :; do
    if api GET /edges/tls | grep -qF "\"$1\""; then echo served; else echo gap; fi
  done > ~/watched &
  watcher=$!
  while [ ! -s ~/watched ]; do sleep 0.05; done
}

unwatch() {
  sleep 0.3
  kill "$watcher"
  [ "$(grep -c served ~/watched)" -gt 2 ] && ! grep -q gap ~/watched
}
