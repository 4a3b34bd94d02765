import { type Model, markOf, tablesOf, type Word } from './model.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const namesIn = (words: readonly Word[]): string => words.map(({ word }) => word).join(' ');

/** Builds a function that sets `REPLY` for its first argument; empty for any other. */
const table = (name: string, rows: readonly (readonly [keys: readonly string[], reply: string])[]): string =>
  [
    `${name}() {`,
    '  case $1 in',
    ...rows
      .filter(([keys, reply]) => keys.length > 0 && reply !== '')
      .map(([keys, reply]) => `    ${keys.map(quoted).join(' | ')}) REPLY=${quoted(reply)} ;;`),
    "    *) REPLY='' ;;",
    '  esac',
    '}',
  ].join('\n');

const tables = (model: Model): string =>
  tablesOf(
    model,
    (words) => words.map(({ word }) => word),
    (text) => text,
  )
    .map(([name, rows]) => {
      const between = name === 'args' ? '|' : ' ';
      return table(
        `_paycli_${name}`,
        rows.map(([keys, found]) => [keys, found.join(between)]),
      );
    })
    .join('\n\n');

/** Completion script for bash. Works with 3.2, the version of macOS. */
export const bashScript = (model: Model): string => `${markOf('bash')}

${tables(model)}

# What may stand for the value of an option at a place.
_paycli_value() {
  _paycli_values ". $2"
  [[ -n $REPLY ]] || _paycli_values "$1 $2"
}

# Offers words, each behind what stands before it on the line.
_paycli_add() {
  local lead=$1 one
  shift
  for one in "$@"; do
    [[ $lead$one == "$cur"* ]] && COMPREPLY+=("$lead$one")
  done
}

_paycli_files() {
  local one
  [[ -z $1 || $1 == *= ]] && compopt -o filenames 2> /dev/null
  while IFS= read -r one; do
    [[ $1 == *@ ]] && printf -v one %q "$one"
    COMPREPLY+=("$1$one")
  done < <(compgen -f -- "$2")
}

_paycli_offer() {
  local spec=$1 lead=$2 typed=$3 line words
  if [[ $spec == ,* ]]; then
    spec=\${spec#,}
    compopt -o nospace 2> /dev/null
    case $typed in
      *,*)
        lead+=\${typed%,*},
        typed=\${typed##*,}
        ;;
    esac
  fi
  case $spec in
    =*)
      read -ra words <<< "\${spec#=}"
      _paycli_add "$lead" "\${words[@]}"
      ;;
    file) _paycli_files "$lead" "$typed" ;;
    source) [[ $typed == @* ]] && _paycli_files "$lead@" "\${typed#@}" ;;
    text | '') ;;
    *)
      while IFS= read -r line; do
        _paycli_add "$lead" "\${line%%$'\\t'*}"
      done < <(command paycli __complete "$spec" "$typed" "$place" $only 2> /dev/null < /dev/null)
      ;;
  esac
}

_paycli() {
  local IFS=$' \\t\\n' REPLY cur place='' pending='' only='' help='' after='' word i n=-1 count=0
  local words=() list=()
  # bash parts words at = and : too: they are put together as they stand on the line, up to the cursor.
  local rest=\${COMP_LINE:0:COMP_POINT}
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $n -lt 0 || $rest == [[:blank:]]* ]]; then
      rest=\${rest#"\${rest%%[![:blank:]]*}"}
      words[++n]=''
    fi
    [[ $i -eq $COMP_CWORD ]] && word=$rest
    words[n]+=$word
    rest=\${rest#"$word"}
  done
  cur=\${words[n]}
  cur=\${cur#[\\'\\"]}
  COMPREPLY=()

  for ((i = 1; i < n; i++)); do
    word=\${words[i]}
    if [[ -n $pending ]]; then
      pending=''
    elif [[ -n $after ]]; then
      count=$((count + 1))
    elif [[ $word == -- ]]; then
      after=1
    elif [[ $word == -* ]]; then
      [[ $word == --local ]] && only=--local
      [[ $word == *=* ]] || { _paycli_value "$place" "$word"; pending=$REPLY; }
    else
      [[ -z $place ]] && { _paycli_alias "$word"; word=\${REPLY:-$word}; }
      _paycli_steps "\${place:-$help}"
      if [[ -z $place$help && ( $word == help || $word == schema ) ]]; then
        help=$word
      elif [[ " $REPLY " == *" $word "* ]]; then
        place=\${place:+$place }$word
      else
        count=$((count + 1))
      fi
    fi
  done

  if [[ -n $pending ]]; then
    _paycli_offer "$pending" '' "$cur"
  elif [[ -z $after && $cur == --*=* ]]; then
    _paycli_value "$place" "\${cur%%=*}"
    _paycli_offer "$REPLY" "\${cur%%=*}=" "\${cur#*=}"
  elif [[ -z $after && $cur == -* ]]; then
    _paycli_options "$place"
    read -ra list <<< "$REPLY ${namesIn(model.globals)}"
    _paycli_add '' "\${list[@]}"
  else
    _paycli_steps "\${place:-$help}"
    if [[ -n $REPLY ]]; then
      read -ra list <<< "$REPLY"
      _paycli_add '' "\${list[@]}"
    elif [[ -z $help ]]; then
      _paycli_args "$place"
      IFS='|' read -ra list <<< "$REPLY"
      word=\${list[count]}
      [[ -z $word && \${#list[@]} -gt 0 && \${list[\${#list[@]} - 1]} == *+ ]] && word=\${list[\${#list[@]} - 1]}
      _paycli_offer "\${word%+}" '' "$cur"
    fi
  fi

  # What readline has parted off already must not come again.
  word=$cur
  [[ $COMP_WORDBREAKS == *=* ]] && word=\${word##*=}
  [[ $COMP_WORDBREAKS == *:* ]] && word=\${word##*:}
  for ((i = 0; i < \${#COMPREPLY[@]}; i++)); do
    COMPREPLY[i]=\${COMPREPLY[i]#"\${cur%"$word"}"}
  done
}

complete -F _paycli paycli
`;
