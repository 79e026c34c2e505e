#!/bin/sh
# Uploads build/tidemark.zip to the function app. New role assignments need minutes to take effect everywhere,
# and until then uploads are refused. So a refused upload is retried, for ten minutes.
set -eu
: "${AZURE_SUBSCRIPTION_ID:?is not set: the id of the subscription}"
: "${AZURE_RESOURCE_GROUP:?is not set: the name of the resource group}"
: "${AZURE_FUNCTION_NAME:?is not set: the name of the function app}"
zip=build/tidemark.zip
pause=${UPLOAD_PAUSE:-60} # seconds
[ -f "$zip" ] || { echo "$zip is missing: run make package" >&2; exit 1; }

# The subscription is named, because the default of az may differ from azd's.
app() {
  az functionapp "$@" --subscription "$AZURE_SUBSCRIPTION_ID" --resource-group "$AZURE_RESOURCE_GROUP" --name "$AZURE_FUNCTION_NAME"
}

app show --output none # a login that is missing, or another app's name, does not pass by waiting

tries=10
try=1
until app deployment source config-zip --src "$zip"; do
  if [ "$try" -ge "$tries" ]; then
    echo "upload refused $tries times; the last message of az says why" >&2
    exit 1
  fi
  echo "upload $try of $tries refused; new role assignments take minutes to hold, so it is tried again in $pause s" >&2
  sleep "$pause"
  try=$((try + 1))
done
