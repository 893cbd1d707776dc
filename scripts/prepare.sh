# Sourced by the other scripts: installs missing Debian packages and builds. Everything it prints
# goes to stderr, so that stdout stays what the program writes.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# What the build needs; docs/dependencies.md says why.
build_packages=(g++ cmake ninja-build pkg-config coinor-libcbc-dev libcli11-dev
  nlohmann-json3-dev libspdlog-dev libfmt-dev libssl-dev libzip-dev zlib1g-dev help2man)
# What reads ONNX files; optional.
onnx_packages=(libonnx-dev libprotobuf-dev)
# What the tests need besides.
test_packages=(coinor-cbc libgtest-dev libgmock-dev dpkg-dev file fish glpk-utils graphviz groff-base locales
  parallel python3 python3-jsonschema python3-yaml zsh)
# What scripts/wheel needs besides the build.
wheel_packages=(python3 python3-build python3-setuptools python3-wheel patchelf binutils libblas3 liblapack3)
# What scripts/check and scripts/fuzz need besides those.
check_packages=(clang clang-tidy libclang-rt-dev lld llvm)

is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# folder_of PACKAGE LIBRARY: where an installed package has a library that others have as well. First in LD_LIBRARY_PATH,
# this folder says which of them a program loads.
folder_of() {
  local file
  file=$(dpkg-query -L "$1" 2>/dev/null | grep "/$2\$" | head -n 1)
  [ -n "$file" ] && dirname "$file"
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

# install_what_reads_onnx: the same for what reads ONNX files. A build without it has all else, and says what is missing.
install_what_reads_onnx() {
  (install_missing "${onnx_packages[@]}") ||
    echo "${0##*/}: ${onnx_packages[*]} cannot be installed: this build reads no ONNX files" >&2
}

# The processor time, in whole seconds, of the commands that this script has run to their ends.
processor_seconds() {
  local fields
  fields=$(<"/proc/$$/stat")
  read -ra fields <<<"${fields##*) }" # after the name, which may have spaces
  echo $(((fields[13] + fields[14]) / $(getconf CLK_TCK)))
}

# timed WHAT COMMAND...: runs the command, and reports how long it took.
timed() {
  local what=$1 start=$SECONDS used
  used=$(processor_seconds)
  shift
  echo "${0##*/}: $what ..." >&2
  "$@"
  echo "${0##*/}: $what took $((SECONDS - start)) s, and $(($(processor_seconds) - used)) s of processor time" >&2
}

# configured PRESET NAME=VALUE...: whether the build folder exists with these options.
configured() {
  local folder=$root/build/$1 option
  shift
  [ -f "$folder/build.ninja" ] || return 1
  for option in "$@"; do
    grep -q "^${option%%=*}:[A-Z]*=${option#*=}\$" "$folder/CMakeCache.txt" || return 1
  done
  # What reads ONNX files may have been installed after that.
  ! grep -q '^ONNX_DIR:PATH=.*-NOTFOUND$' "$folder/CMakeCache.txt" || ! is_installed libonnx-dev
}

# configure PRESET [NAME=VALUE...]: configures if the options are not yet set. Tests are not configured
# unless asked for: they need packages of their own.
configure() {
  local preset=$1 options=()
  shift
  if ! configured "$preset" "$@"; then
    [ -f "$root/build/$preset/build.ninja" ] || options=(-DPOET_BUILD_TESTS=OFF)
    (cd "$root" && cmake --preset "$preset" "${options[@]}" "${@/#/-D}") >&2
  fi
}

# Passes the output of a build on, and prints a line of progress every five seconds.
show_progress() {
  local line last=$SECONDS
  while IFS= read -r line; do
    printf '%s\n' "$line"
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] && [ $((SECONDS - last)) -ge 5 ]; then
      echo "${0##*/}: built ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]} files" >&2
      last=$SECONDS
    fi
  done
}

# build PRESET 'TARGET...' [NAME=VALUE...]: configures, then builds what changed.
build() {
  local preset=$1 targets log start=$SECONDS used
  used=$(processor_seconds)
  read -ra targets <<<"$2"
  shift 2
  configure "$preset" "$@"
  log=$(mktemp)
  # A build with nothing to do prints nothing; one that fails prints everything. pipefail is set.
  if ! (cd "$root" && cmake --build --preset "$preset" --target "${targets[@]}" 2>&1) | show_progress >"$log"; then
    cat "$log" >&2
    rm -f "$log"
    exit 1
  fi
  rm -f "$log"
  [ $((SECONDS - start)) -lt 10 ] ||
    echo "${0##*/}: building ${targets[*]} of preset $preset took $((SECONDS - start)) s, and" \
      "$(($(processor_seconds) - used)) s of processor time" >&2
}
