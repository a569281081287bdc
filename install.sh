#!/usr/bin/env bash
# Builds Footlight, installs the kernel, the runtime and the kernelspec, and proves the install by running one cell.
#
# The installed tree, called the home, keeps every build apart, so that a kernel that is running keeps the files it started with:
#   HOME/releases/VERSION-SUM/{bin,lib,runtime.json}   one build
#   HOME/current -> releases/VERSION-SUM               swapped in one step
#   HOME/{bin,lib,runtime.json} -> current/...         what the kernelspec and FOOTLIGHT_HOME name
#   HOME/venv                                          JupyterLab, only where there was no Jupyter
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: ./install.sh [--user | --prefix DIR | --sys-prefix] [--home DIR] [--lab]

  --user         install the kernelspec for this user (the default)
  --prefix DIR   install under DIR: DIR/share/jupyter/kernels/footlight and DIR/share/footlight
  --sys-prefix   install under the prefix of the python3 on PATH: for a virtual environment or conda
  --home DIR     keep the programs and the runtime in DIR (default: ~/.local/share/footlight)
  --lab          end in JupyterLab with the tour open
TEXT
}

say() { printf '\033[1m%s\033[0m\n' "$*"; }
die() { printf '\n%s\n' "install.sh: $*" >&2; exit 1; }
needs_value() { [ "$#" -ge 2 ] && [ -n "$2" ] || die "$1 needs a value. See ./install.sh --help"; }

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
started=$SECONDS
where=user prefix='' home='' lab=no
while [ $# -gt 0 ]; do
    case $1 in
        --user) where=user ;;
        --prefix) needs_value "$@"; where=prefix prefix=$2; shift ;;
        --prefix=*) where=prefix prefix=${1#*=} ;;
        --sys-prefix) where=sys-prefix ;;
        --home) needs_value "$@"; home=$2; shift ;;
        --home=*) home=${1#*=} ;;
        --lab) lab=yes ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; die "does not know the option '$1'" ;;
    esac
    shift
done

# --- What it needs ---------------------------------------------------------------------------------------------------------------
# rustup's default place is not on every shell's PATH.
command -v cargo > /dev/null || PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
command -v cargo > /dev/null && command -v rustc > /dev/null || die "needs Rust 1.95 or newer, and found no cargo: install it with rustup"
command -v cc > /dev/null || die "needs a C linker, and found no cc. On Debian and Ubuntu: sudo apt-get install gcc libc6-dev"
command -v python3 > /dev/null || die "needs Python 3 for Jupyter, and found no python3. On Debian and Ubuntu: sudo apt-get install python3 python3-venv"

[ "$where" != sys-prefix ] || prefix=$(python3 -c 'import sys; print(sys.prefix)')
if [ -z "$home" ]; then
    if [ -n "$prefix" ]; then home=$prefix/share/footlight; else home=${XDG_DATA_HOME:-$HOME/.local/share}/footlight; fi
fi
mkdir -p "$home/releases" || die "can't write to $home: choose another place with --home DIR"
home=$(cd "$home" && pwd)

# --- Build -----------------------------------------------------------------------------------------------------------------------
cd "$source_dir"
# An outer setting would give the kernel and the runtime one folder, and each build would throw away the other's.
unset CARGO_TARGET_DIR CARGO_BUILD_TARGET RUSTFLAGS CARGO_ENCODED_RUSTFLAGS
kernel_target=$source_dir/target runtime_target=$source_dir/target/runtime
say "Building the kernel"
cargo build --release --locked -p footlight-kernel --target-dir "$kernel_target"
# Cells and runtime must share one standard library, so the runtime links it dynamically.
say "Building the runtime"
RUSTFLAGS="-C prefer-dynamic" cargo build --release --locked -p footlight --lib --bins --target-dir "$runtime_target"

# --- Lay out one build -----------------------------------------------------------------------------------------------------------
version=$(sed -n '/^\[workspace.package\]/,/^\[/ s/^version = "\(.*\)"/\1/p' Cargo.toml)
new=$home/releases/.new.$$
trap 'rm -rf "$new"' EXIT
mkdir -p "$new/bin" "$new/lib/deps"
cp "$kernel_target/release/footlight-kernel" "$runtime_target/release/footlight-worker" "$new/bin/"
cp "$runtime_target/release/libfootlight.so" "$new/lib/"

# rustc reads the metadata of every crate that the runtime links: it is asked which, by compiling a cell that does nothing.
echo 'extern crate footlight;' > "$new/probe.rs"
RUSTC_BOOTSTRAP=1 rustc --edition 2024 --crate-type dylib --crate-name probe --emit=dep-info,metadata -Z binary-dep-depinfo -C prefer-dynamic \
    --extern "footlight=$runtime_target/release/libfootlight.so" -L "dependency=$runtime_target/release/deps" --out-dir "$new" "$new/probe.rs" ||
    die "rustc can't use the runtime it just built. Try again after: rm -rf '$runtime_target'"
sed -n 's/^.*probe\.d: //p' "$new/probe.d" | sed 's/\([^\\]\) /\1\n/g' | sed 's/\\ / /g' | while read -r file; do
    case $file in "$runtime_target"/release/deps/*) cp "$file" "$new/lib/deps/" ;; esac
done
rm "$new"/probe.rs "$new"/probe.d "$new"/libprobe.rmeta

json() { python3 -c 'import json, sys; print(json.dumps(dict(zip(sys.argv[1::2], sys.argv[2::2])), indent=2))' "$@"; }
json version "$version" rustc "$(rustc -vV)" sysroot "$(rustc --print sysroot)" > "$new/runtime.json"

# --- Swap it in ------------------------------------------------------------------------------------------------------------------
sum=$(cd "$new" && find . -type f | LC_ALL=C sort | xargs cksum | cksum | cut -d' ' -f1)
release=$version-$sum
if [ -d "$home/releases/$release" ]; then rm -rf "$new"; else mv "$new" "$home/releases/$release"; fi
link() { ln -sfn "$1" "$home/.link.$$" && mv -T "$home/.link.$$" "$home/$2"; }
link "releases/$release" current
for name in bin lib runtime.json; do
    [ -L "$home/$name" ] || rm -rf "${home:?}/$name"
    link "current/$name" "$name"
done
# Older builds go, but for those that a kernel or a worker still runs from.
running=$(readlink /proc/[0-9]*/exe 2> /dev/null || true)
for old in "$home"/releases/* "$home"/releases/.new.*; do
    case $old in "$home/releases/$release" | *'*') continue ;; esac
    case $running in *"$old/"*) ;; *) rm -rf "$old" ;; esac
done

# --- Jupyter ---------------------------------------------------------------------------------------------------------------------
# `jupyter` may be a shim that leads nowhere, so it is asked for its version.
own_venv() {
    if [ ! -x "$home/venv/bin/jupyter-lab" ]; then
        say "Installing JupyterLab in $home/venv"
        rm -rf "$home/venv"
        python3 -m venv "$home/venv" || die "python3 can't make a virtual environment. On Debian and Ubuntu: sudo apt-get install python3-venv"
        "$home/venv/bin/pip" install --quiet --disable-pip-version-check 'jupyterlab>=4.4,<5' || die "pip could not install JupyterLab: see above"
    fi
    jupyter=$home/venv/bin/jupyter
}
if jupyter=$(command -v jupyter) && "$jupyter" --version > /dev/null 2>&1; then
    if [ "$lab" = yes ] && ! "$jupyter" lab --version > /dev/null 2>&1; then own_venv; fi
else
    own_venv
fi

say "Installing the kernelspec"
if [ -n "$prefix" ]; then
    FOOTLIGHT_HOME=$home "$home/bin/footlight-kernel" install --prefix "$prefix"
    data=$prefix/share/jupyter
else
    FOOTLIGHT_HOME=$home "$home/bin/footlight-kernel" install --user
    data=$("$jupyter" --data-dir)
fi

# --- Prove it: one cell through a real client ------------------------------------------------------------------------------------
say "Running one cell"
cell='let proof = tensor![1.0, 2.0, 3.0]; println!("1 + 2 + 3 = {}", proof.sum(()).item::<f32>());'
export JUPYTER_PATH=$data${JUPYTER_PATH:+:$JUPYTER_PATH}
if ! answer=$(printf '%s\n' "$cell" | "$jupyter" run --kernel footlight 2>&1); then
    printf '%s\n' "$answer" >&2
    "$home/bin/footlight-kernel" doctor >&2 || true
    die "the kernel is installed, but did not run a cell: see above"
fi
case $answer in *"1 + 2 + 3 = 6"*) printf '%s\n' "$answer" ;; *) printf '%s\n' "$answer" >&2; die "the cell did not print its sum: see above" ;; esac

# --- What to type next -----------------------------------------------------------------------------------------------------------
say "Footlight $version is installed and works ($((SECONDS - started)) s)."
type_jupyter=jupyter
[ "$jupyter" != "$home/venv/bin/jupyter" ] || type_jupyter=$jupyter
lab_options=()
[ "$(id -u)" != 0 ] || lab_options+=(--allow-root)
if [ "$lab" = yes ]; then
    exec "$jupyter" lab "${lab_options[@]}" "$source_dir/notebooks/01-tour.ipynb"
fi
printf '\nNext, the tour in JupyterLab:\n\n    %s lab %s%s\n\n' "$type_jupyter" "${lab_options[*]:+${lab_options[*]} }" "notebooks/01-tour.ipynb"
[ "$where" != prefix ] || printf 'Jupyter must know of the prefix:\n\n    export JUPYTER_PATH=%s\n\n' "$data"
