#!/usr/bin/env bash
# Builds a git for Windows, of the source of the Debian package of git that is installed here, and puts it into a directory.
#
#   .ci/wine/git.sh DIRECTORY      git.exe, the same under the names by which a shell starts it, and the library that it needs
#
# It takes some minutes, once: what is built stays in CARGO_TARGET_DIR (target/), by its version and this script. It has no shell beside it,
# and nothing of git that speaks to other machines; it converts encodings where there is npm, which brings the source of libiconv. It finds no
# repository below /dev, which wine hides from it: TMPDIR has to be elsewhere.
set -euo pipefail
cd "$(dirname "$0")/../.."

to=$1
version=$(dpkg-query -W -f '${source:Version}' git)
built=$(realpath "${CARGO_TARGET_DIR:-target}")/wine-git/${version//:/}-$(cksum < .ci/wine/git.sh | cut -d' ' -f1)

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

  encodings=(NO_ICONV=1)
  if npm pack --silent iconv@3.0.1; then
    tar -xf iconv-*.tgz
    (
      cd package
      for source in deps/libiconv/lib/iconv.c support/localcharset.c; do
        x86_64-w64-mingw32-gcc -O1 -w -DENABLE_EXTRA=1 -DICONV_CONST=const -Isupport -c $source
      done
      mkdir -p ../iconv/lib ../iconv/include
      x86_64-w64-mingw32-ar rcs ../iconv/lib/libiconv.a ./*.o
      cp support/iconv.h ../iconv/include
    )
    encodings=(NEEDS_LIBICONV=1 "ICONVDIR=$work/iconv")
  fi
  C_INCLUDE_PATH=$work/headers make -C git -j2 uname_S=MINGW uname_R=1.0 CC=x86_64-w64-mingw32-gcc AR=x86_64-w64-mingw32-ar \
    RC='x86_64-w64-mingw32-windres -O coff' NO_CURL=1 NO_OPENSSL=1 "${encodings[@]}" NO_EXPAT=1 NO_PERL=1 NO_PYTHON=1 NO_TCLTK=1 \
    NO_GETTEXT=1 NO_INSTALL_HARDLINKS=1 CFLAGS=-O1 git.exe
  cp $libraries/zlib1.dll "$built"
  mv git/git.exe "$built"
fi
mkdir -p "$to"
cp "$built/git.exe" "$built/zlib1.dll" "$to"
for name in git-upload-pack git-receive-pack; do
  cp "$built/git.exe" "$to/$name.exe"
done
