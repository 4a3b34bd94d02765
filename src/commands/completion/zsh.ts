import { type Model, markOf, tablesOf, type Word } from './model.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const described = ({ word, about }: Word): string => quoted(`${word.replaceAll(':', '\\:')}:${about}`);

/** Builds a function that sets `reply` for its first argument; empty for any other. */
const table = (name: string, rows: readonly (readonly [keys: readonly string[], reply: readonly string[]])[]): string =>
  [
    `${name}() {`,
    '  case $1 in',
    ...rows
      .filter(([keys, reply]) => keys.length > 0 && reply.length > 0)
      .map(([keys, reply]) => `    (${keys.map(quoted).join('|')}) reply=(${reply.join(' ')}) ;;`),
    '    (*) reply=() ;;',
    '  esac',
    '}',
  ].join('\n');

const tables = (model: Model): string =>
  tablesOf(model, (words) => words.map(described), quoted)
    .map(([name, rows]) => table(`_paycli_${name}`, rows))
    .join('\n\n');

/** Completion script for zsh. */
export const zshScript = (model: Model): string => `#compdef paycli
${markOf('zsh')}

${tables(model)}

# What may stand for the value of an option at a place.
_paycli_value() {
  _paycli_values ". $2"
  (( $#reply )) || _paycli_values "$1 $2"
}

_paycli_offer() {
  local spec=$1 line
  local -a found space
  if [[ $spec == ,* ]]; then
    spec=\${spec#,}
    compset -P '*,'
    space=(-S '')
  fi
  case $spec in
    ('='*)
      found=(\${(s: :)spec#=})
      compadd "$space[@]" -a found
      ;;
    (file) _files ;;
    (source) compset -P '@' && _files ;;
    (text|'') ;;
    (*)
      for line in "\${(@f)$(command paycli __complete "$spec" "\${(Q)PREFIX}" "$place" $only 2> /dev/null < /dev/null)}"; do
        [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
      done
      _describe -t values value found "$space[@]"
      ;;
  esac
}

_paycli() {
  local place='' pending='' help='' after='' word name spec
  local -a only reply list steps
  local -i i count=0
  # (Q) takes the quotes away; nothing is expanded.
  for ((i = 2; i < CURRENT; i++)); do
    word=\${(Q)words[i]}
    if [[ -n $pending ]]; then
      pending=''
    elif [[ -n $after ]]; then
      count+=1
    elif [[ $word == -- ]]; then
      after=1
    elif [[ $word == -* ]]; then
      [[ $word == --local ]] && only=(--local)
      [[ $word == *=* ]] || { _paycli_value "$place" "$word"; pending=$reply[1]; }
    else
      [[ -z $place ]] && { _paycli_alias "$word"; word=\${reply[1]:-$word}; }
      _paycli_steps "\${place:-$help}"
      if [[ -z $place$help && ( $word == help || $word == schema ) ]]; then
        help=$word
      elif [[ " \${(@)reply%%:*} " == *" $word "* ]]; then
        place=\${place:+$place }$word
      else
        count+=1
      fi
    fi
  done

  if [[ -n $pending ]]; then
    _paycli_offer "$pending"
  elif [[ -z $after && $PREFIX == --*=* ]]; then
    _paycli_value "$place" "\${PREFIX%%=*}"
    compset -P 1 '*='
    _paycli_offer "$reply[1]"
  elif [[ -z $after && $PREFIX == -* ]]; then
    _paycli_options "$place"
    list=("$reply[@]" ${model.globals.map(described).join(' ')})
    _describe -o option list
  else
    _paycli_steps "\${place:-$help}"
    if (( $#reply )); then
      list=("$reply[@]")
      _describe command list
    elif [[ -z $help ]]; then
      _paycli_args "$place"
      spec=$reply[count+1]
      [[ -z $spec && $reply[-1] == *+ ]] && spec=$reply[-1]
      _paycli_offer "\${spec%+}"
    fi
  fi
}

if [[ $funcstack[1] == _paycli ]]; then
  _paycli "$@"
elif (( $+functions[compdef] )); then
  compdef _paycli paycli
fi
`;
