# Sourced, after prepare.sh, by what tries the project on a Debian 12 with nothing in it, in build/clean-system. Only root can
# set it up; its packages come from where this system gets them. Without --keep as first argument, it is removed at the end.

[ "$(id -u)" -eq 0 ] || { echo "A clean system can only be set up by root." >&2; exit 1; }
system=$root/build/clean-system
keep=${1:-}

inside() { chroot "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
  DEBIAN_FRONTEND=noninteractive "$@"; }

unmount_proc() { ! mountpoint -q "$system/proc" || umount "$system/proc"; }

leave_system() {
  unmount_proc
  [ "$keep" = --keep ] || rm -rf --one-file-system "$system"
}

# set_up_system: as debootstrap makes it, with the least packages.
set_up_system() {
  local mirror
  install_missing debootstrap
  # The first source of packages for this release.
  mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
    awk '$1 == "bookworm" { print $2; exit }')
  [ -n "$mirror" ] || { echo "apt knows no source of Debian 12 (bookworm)." >&2; exit 1; }
  trap leave_system EXIT
  unmount_proc
  rm -rf --one-file-system "$system"
  mkdir -p "$root/build/clean-system-packages"
  echo "Setting up a clean system in $system" >&2
  debootstrap --variant=minbase --cache-dir="$root/build/clean-system-packages" bookworm "$system" "$mirror" \
    >"$root/build/clean-system.log" 2>&1 || { tail -n 20 "$root/build/clean-system.log" >&2; exit 1; }
  mount -t proc proc "$system/proc"  # bash looks there for the ends of its pipes
}
