# Sourced by the other scripts: installs missing Debian packages and builds. Everything it prints
# goes to stderr, so that stdout stays what the program writes.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# What the build needs; README.md says why.
build_packages=(g++ cmake ninja-build pkg-config coinor-libcbc-dev libcli11-dev
  nlohmann-json3-dev libspdlog-dev libfmt-dev libssl-dev)
# What the tests need besides.
test_packages=(libgtest-dev libgmock-dev glpk-utils python3)

is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# install_missing PACKAGE...: as root or with sudo; nothing happens when all are there.
install_missing() {
  local missing=() package
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  if ! command -v apt-get >/dev/null; then
    echo "These Debian packages are needed, and there is no apt-get to install them: ${missing[*]}" >&2
    exit 1
  fi
  local as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  echo "Installing ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    --no-install-recommends "${missing[@]}" >&2
}

# build PRESET [CMAKE-ARGUMENT...]: configures once, then builds what changed.
build() {
  local preset=$1 log
  shift
  if [ ! -f "$root/build/$preset/build.ninja" ] || [ $# -gt 0 ]; then
    (cd "$root" && cmake --preset "$preset" "$@") >&2
  fi
  log=$(mktemp)
  # A build with nothing to do says nothing; one that fails says everything.
  if ! (cd "$root" && cmake --build --preset "$preset") >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    exit 1
  fi
  rm -f "$log"
}
