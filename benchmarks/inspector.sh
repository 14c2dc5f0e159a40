#!/bin/sh
# Run the official MCP inspector against this checkout's server: tools/list --strict, then a real tools/call.
# Usage: benchmarks/inspector.sh [DIRECTORY]     (the directory to index and ask about; default: src/satori)
# Needs npm and `make env`. State goes to ~/.satori of a temporary home directory (the inspector passes a server few
# environment variables, as clients do), which is removed at the end.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
directory=${1:-$here/src/satori}
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
unset SATORI_STATE_ROOT
export HOME="$home" npm_config_loglevel=error npm_config_cache="${npm_config_cache:-/tmp/satori-inspector-npm}"
satori="$here/.venv/bin/satori"
inspector="npx --yes @modelcontextprotocol/inspector@2 --cli"
"$satori" index "$directory" >/dev/null
cd "$directory"
for era in legacy modern; do
  echo "== $era: tools/list --strict"
  $inspector "$satori" serve --protocol-era "$era" --method tools/list --strict >"$home/list.json"
  listed=$(grep -c '"inputSchema"' "$home/list.json" || true)
  echo "tools listed: $listed"
  [ "$listed" -eq 11 ]
  echo "== $era: tools/call search_codebase"
  $inspector "$satori" serve --protocol-era "$era" --method tools/call --tool-name search_codebase \
    --tool-arg "path=$directory" --tool-arg "query=where are secrets masked" >"$home/call.json"
  found=$(grep -c '^ *"symbolId": "s[a-z0-9]*\.' "$home/call.json" || true)
  echo "results with a symbol: $found"
  [ "$found" -gt 0 ]
done
