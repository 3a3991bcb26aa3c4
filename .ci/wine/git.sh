#!/usr/bin/env bash
# Builds a git for Windows, of the source of the Debian package of git that is installed here, and puts it into a directory.
#
#   .ci/wine/git.sh DIRECTORY      git.exe, and the library that it needs
#
# It takes some minutes, once: what is built stays in CARGO_TARGET_DIR (target/), by its version. It has no shell beside it, so it runs
# neither hooks nor editors with arguments; and nothing of git that speaks to other machines. It finds no repository below /dev, which wine
# hides from it: TMPDIR has to be elsewhere.
set -euo pipefail
cd "$(dirname "$0")/../.."

to=$1
version=$(dpkg-query -W -f '${source:Version}' git)
built=$(realpath "${CARGO_TARGET_DIR:-target}")/wine-git/${version//:/}

if [ ! -e "$built/git.exe" ]; then
  libraries=/usr/x86_64-w64-mingw32/lib
  [ -e $libraries/libz.dll.a ] || apt-get install -qy --no-install-recommends libz-mingw-w64-dev
  mkdir -p "$built"
  work=$(mktemp -d "$built/source.XXXXXX")
  trap 'rm -rf "$work"' EXIT

  # Lists of sources, and a state of their own: the machine's stay as they are.
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/sources" "$work/headers"
  for list in /etc/apt/sources.list.d/*.sources; do
    sed 's/^Types:.*/Types: deb-src/' "$list" > "$work/sources/${list##*/}"
  done
  apt=(apt-get -q -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache" -o Dir::Etc::sourcelist=/dev/null
    -o "Dir::Etc::sourceparts=$work/sources" -o APT::Sandbox::User=root)
  cd "$work"
  "${apt[@]}" update
  "${apt[@]}" source --download-only "git=$version"
  mkdir git
  tar -xf git_*.orig.tar.* --strip-components 1 -C git

  # Windows doesn't care about the case of a header's name.
  for header in NTSecAPI Psapi tlHelp32; do
    echo "#include <${header,,}.h>" > "headers/$header.h"
  done
  C_INCLUDE_PATH=$work/headers make -C git -j2 uname_S=MINGW uname_R=1.0 CC=x86_64-w64-mingw32-gcc AR=x86_64-w64-mingw32-ar \
    RC='x86_64-w64-mingw32-windres -O coff' NO_CURL=1 NO_OPENSSL=1 NO_ICONV=1 NO_EXPAT=1 NO_PERL=1 NO_PYTHON=1 NO_TCLTK=1 \
    NO_GETTEXT=1 NO_INSTALL_HARDLINKS=1 CFLAGS=-O1 git.exe
  cp $libraries/zlib1.dll "$built"
  mv git/git.exe "$built"
fi
mkdir -p "$to"
cp "$built/git.exe" "$built/zlib1.dll" "$to"
