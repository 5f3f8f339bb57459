#!/usr/bin/env bash
# The main job on a scratch copy of the example memex: Org in, facts admitted and refused with
# reasons, a person's decisions, and a chain read back to a heading. Run by `make demo`.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$scratch"' EXIT
cp -r "$here/memex/." "$scratch/notes"
export PP_MEMEX=$scratch/notes PP_STATE=$scratch/state PP_NOW=2025-12-31T12:00:00Z PP_PERSON=runa

title() { printf '\n\033[1m== %s\033[0m\n' "$*"; }
run() { # shows a command, runs it, and says its exit code where it means something
  printf '\n$ pp'; printf ' %q' "$@"; printf '\n'
  local code=0
  pp "$@" || code=$?
  case $code in
    0) ;;
    1 | 4 | 5 | 6 | 7) printf '(exit %s)\n' "$code" ;;
    *) exit "$code" ;;
  esac
}
field() { # the value of a field in the last JSON line on stdin that holds a text
  python3 -c 'import json, sys
for line in sys.stdin:
    if sys.argv[2] in line:
        found = json.loads(line)[sys.argv[1]]
print(found)' "$1" "$2"
}
fact() { # the id of the first fact that answers a pattern
  pp query "$1" --all --json | python3 -c 'import json, sys
print(json.load(sys.stdin)["answers"][0]["fact"]["id"])'
}

title "A folder of notes becomes a memex; only system/journal is written"
run init
run sync

title "Candidates as a model would make them, right and wrong"
run propose --from "$here/candidates.jsonl"

title "The machine decides what needs no person"
run admit --auto

title "A person decides the rest: one in, one out for good, one conflict settled"
queue=$(pp admit --list --json)
for want in '"Bo Teig", "relation": "born-in", "value": "Skarvik"'; do
  id=$(field proposal "$want" <<<"$queue")
  run admit "$id" --yes --shown "$(field shown "$want" <<<"$queue")"
done
id=$(pp admit --list --json | field proposal '"value": "otter"')
run reject "$id" --reason "the otter was a joke"
run declare '(:entity "Skarvik Light" :relation :lit-by :value "Bo Teig" :from "2024-01")'
conflict=$(pp contradictions --json | python3 -c 'import json, sys
found = json.load(sys.stdin)["conflicts"]
print(next(c["id"] for c in found if "opinion" in c["rule"]))' || true)
run settle "$conflict" --both

title "A model proposes too: a scripted one stands in, on this machine"
pp models serve "$here/replies.jsonl" --for 120 >"$scratch/url" &
server=$!
until [ -s "$scratch/url" ]; do sleep 0.1; done
LOCAL_BASE_URL=$(head -n 1 "$scratch/url")
export LOCAL_BASE_URL
run propose reading/the-castle.org reading/pale-fire.org --model local/scripted
run propose --failed --dry-run
run admit --auto
run audit "$(fact 'Nabokov lectures-on ?')"

title "The same with the model gone: sentence patterns read instead, and say so"
kill "$server"
wait "$server" || true
run propose people/petra.org
unset LOCAL_BASE_URL

title "Find what is near, and why it was found"
run search lectures on the beetle --limit 3 --why
run search 成都

title "What holds now, what held then"
run query '"Ines Varga" works-at ?who'
run query '"Ines Varga" works-at ?who' --at 2023-05-01
run timeline "Ines Varga" lives-in

title "Why was this refused, and where does that come from?"
blocked=$(pp admit --list --json | field proposal '"Trondheim"')
run why "$blocked"
run audit "$(fact '"Ines Varga" born-in ?')"

title "What follows by rules, each proof down to a heading; a question that joins and counts"
run rules check
run query '? lives-near ?'
run why "$(fact '"Ines Varga" lives-near "Runa Falkvik"')"
run query --org 'n(Town, count(X)) <= lives_in(X, Town)'

title "What would have to be otherwise"
run why-not "$blocked"

title "What still disagrees"
run contradictions

title "The index is a cache: thrown away, rebuilt, the same digest"
run rebuild --verify
run status
