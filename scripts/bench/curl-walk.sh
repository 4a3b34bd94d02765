# What row 4 is compared with: the walk as a script does it without paycli, one page after the other, a record a line.
# The list lies at $PAYCLI_BASE_URL, the key is $PAYCLI_SECRET_KEY.
set -eu
cursor=
while :; do
  page=$(curl -sSfG --retry 3 --retry-all-errors -H "Authorization: Bearer $PAYCLI_SECRET_KEY" -d limit=100 \
    ${cursor:+--data-urlencode "cursor=$cursor"} "$PAYCLI_BASE_URL/v1/ugwo")
  printf '%s\n' "$page" | jq -c '.data[]'
  cursor=$(printf '%s\n' "$page" | jq -r '.next_cursor // empty')
  [ -n "$cursor" ] || break
done
