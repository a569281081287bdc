#!/usr/bin/env bash
# Every test: installs what the tests need, installs this tree's kernel where only the tests see it, and runs
# the Rust tests, the protocol suite, the shipped notebooks, and JupyterLab in Chromium. Ends with the counts.
#
#   tests/run.sh                       everything
#   tests/run.sh rust                  only the Rust tests; also: install, protocol, notebooks, lab
#   tests/run.sh protocol -k stdin     what follows the part goes to its runner, nextest or pytest
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD venv=$PWD/tests/.venv
parts=(rust install protocol notebooks lab)
if [ $# -gt 0 ]; then parts=("$1"); shift; fi

say() { printf '\n\033[1m== %s (%d s)\033[0m\n' "$*" "$SECONDS"; }
die() { printf 'tests/run.sh: %s\n' "$*" >&2; exit 1; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# Jupyter's and Footlight's own folders, so that the tests neither see nor touch the user's.
export XDG_DATA_HOME=$root/target/tests/data JUPYTER_CONFIG_DIR=$root/target/tests/config
unset JUPYTER_PATH JUPYTER_DATA_DIR FOOTLIGHT_HOME
export FOOTLIGHT_HOME=$root/target/tests/home

say "What the tests need"
if ! cmp -s tests/requirements.txt "$venv/requirements.txt"; then
    rm -rf "$venv"
    python3 -m venv "$venv" || die "python3 can't make a virtual environment. On Debian and Ubuntu: sudo apt-get install python3-venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r tests/requirements.txt || die "pip could not install tests/requirements.txt"
    cp tests/requirements.txt "$venv/requirements.txt"
fi
export PATH=$venv/bin:$PATH VIRTUAL_ENV=$venv
case " ${parts[*]} " in
    *' lab '*)
        if ! command -v chromium > /dev/null && ! command -v chromium-browser > /dev/null && ! command -v google-chrome > /dev/null; then
            (as_root apt-get update && as_root apt-get install -y --no-install-recommends chromium fonts-dejavu-core) > target/chromium.log 2>&1 ||
                die "Chromium could not be installed: see target/chromium.log"
        fi
        ;;
esac

say "Install"
./install.sh --sys-prefix --home "$FOOTLIGHT_HOME" || die "the install failed: see above"

passed=0 failed=0 skipped=0 broken=()
# count LOG: adds up the last summary of nextest, cargo test or pytest in LOG.
count() {
    local word number
    for word in passed failed skipped ignored error; do
        number=$(grep -aE '^ *Summary \[|^test result:|^=+ .*(passed|failed|error|skipped).* in ' "$1" | sed 's/\x1b\[[0-9;]*m//g' |
            grep -oE "[0-9]+ $word" | awk '{ sum += $1 } END { print sum + 0 }')
        case $word in
            passed) passed=$((passed + number)) ;;
            failed | error) failed=$((failed + number)) ;;
            skipped | ignored) skipped=$((skipped + number)) ;;
        esac
    done
}
# part NAME COMMAND...: runs one part and counts it; a part that fails without a failed test counts as one.
part() {
    local name=$1 log=target/tests/$1.log before=$failed
    shift
    say "$name"
    "$@" 2>&1 | tee "$log"
    local status=${PIPESTATUS[0]}
    count "$log"
    if [ "$status" != 0 ]; then
        broken+=("$name")
        [ "$failed" != "$before" ] || failed=$((failed + 1))
    fi
}
mkdir -p target/tests

for part in "${parts[@]}"; do
    case $part in
        rust)
            if cargo nextest --version > /dev/null 2>&1; then
                part rust cargo nextest run --workspace --locked --config-file tests/nextest.toml --no-fail-fast "$@"
            else
                part rust cargo test --workspace --locked --no-fail-fast --lib --bins --tests "$@"
            fi
            [ $# -gt 0 ] || part docs cargo test --workspace --locked --doc --no-fail-fast
            ;;
        install | protocol | notebooks | lab) part "$part" python3 -m pytest "tests/$part" "$@" ;;
        *) die "no part '$part': rust, install, protocol, notebooks or lab" ;;
    esac
done

say "Done"
[ ${#broken[@]} = 0 ] || printf 'failed: %s\n' "${broken[*]}"
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ ${#broken[@]} = 0 ]
