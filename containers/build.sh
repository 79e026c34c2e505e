#!/bin/sh
# Builds the image for both architectures from what `make release` staged, as the list tidemark:VERSION. Nothing runs
# while it is built, so that no emulator of the other architecture is needed.
set -eu
cd "$(dirname "$0")/.."
version=$1
stage=build/stage/container
rm -rf "$stage"
mkdir -p -m 755 "$stage"
mkdir -m 700 "$stage/data"
mkdir -m 1777 "$stage/tmp"
cp "build/stage/archives/tidemark_${version}_linux_amd64/LICENSES-THIRD-PARTY.txt" "$stage/"
# The time of the commit, so that the same commit gives the same layers.
at=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
list="tidemark:$version"
buildah manifest exists "$list" && buildah manifest rm "$list" >/dev/null
buildah manifest create "$list" >/dev/null
for arch in amd64 arm64; do
  # shellcheck disable=SC2086 # BUILDAH_FLAGS are several
  buildah build ${BUILDAH_FLAGS:-} --format docker --platform "linux/$arch" --build-arg "TARGETARCH=$arch" --timestamp "$at" \
    --ignorefile .containerignore --label "org.opencontainers.image.version=$version" \
    --label "org.opencontainers.image.source=https://github.com/tidemark/tidemark" \
    --label "org.opencontainers.image.licenses=Apache-2.0" \
    --manifest "$list" -f containers/Containerfile .
done
