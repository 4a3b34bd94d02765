export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

/** Marker line by which paycli recognizes its own scripts. */
export const madeByLine = (shell: Shell): string =>
  `# made by \`paycli completion ${shell}\`; runs nothing of what is typed`;

/**
 * The completion scripts. Each passes the words to `paycli __complete` and offers the lines that it prints (see
 * compose/complete.ts). The one for bash works with 3.2, the version of macOS.
 */
const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `_paycli() {
  local one path
  COMPREPLY=()
  while IFS= read -r one; do
    case $one in
      :nospace) compopt -o nospace 2> /dev/null ;;
      :file:*)
        compopt -o filenames 2> /dev/null
        while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen -f -- "\${one#:file:}")
        ;;
      :source:*)
        while IFS= read -r path; do
          printf -v path %q "$path"
          COMPREPLY+=("@$path")
        done < <(compgen -f -- "\${one#:source:}")
        ;;
      *) COMPREPLY+=("$one") ;;
    esac
  done < <(command paycli __complete bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2> /dev/null < /dev/null)
}
complete -F _paycli paycli`,
  zsh: `_paycli() {
  local one
  local -a found about space
  for one in "\${(@f)$(command paycli __complete zsh "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2> /dev/null < /dev/null)}"; do
    case $one in
      (:nospace) space=(-S '') ;;
      (:file:*|:source:*)
        [[ $PREFIX == --*=* ]] && compset -P 1 '*='
        [[ $one == :source:* ]] && compset -P '@'
        _files
        ;;
      (?*)
        found+=("\${one%%$'\\t'*}")
        about+=("\${one/$'\\t'/  -- }")
        ;;
    esac
  done
  compadd -d about "$space[@]" -a found
}

if [[ $funcstack[1] == _paycli ]]; then
  _paycli "$@"
elif (( $+functions[compdef] )); then
  compdef _paycli paycli
else
  print -ru2 -- 'paycli: completion needs compinit. Before this line, add: autoload -Uz compinit && compinit'
fi`,
  fish: `function __paycli
    set -l cur (string replace -r '^[\\'"]' '' -- (commandline -ct))
    set -l words (commandline -opc)[2..-1]
    for one in (command paycli __complete fish $words "$cur" 2>/dev/null </dev/null)
        switch $one
            case ':nospace'
            case ':file:*' ':source:*'
                set -l typed (string replace -r '^:[a-z]+:' '' -- $one)
                set -l lead (string sub -l (math (string length -- "$cur") - (string length -- "$typed")) -- "$cur")
                for path in $typed*
                    test -d $path; and set path $path/
                    printf '%s\\n' $lead$path
                end
            case '*'
                printf '%s\\n' $one
        end
    end
end
complete -c paycli -f -a '(__paycli)'`,
  powershell: `Register-ArgumentCompleter -Native -CommandName paycli -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
  # An empty argument would be left out.
  $current = if ($wordToComplete) { $wordToComplete } else { '""' }
  & (Get-Command -CommandType Application paycli | Select-Object -First 1) __complete powershell @words $current 2>$null |
    Where-Object { $_ -and -not $_.StartsWith(':') } | ForEach-Object {
      $word, $about = $_.Split("\`t")
      $about = if ($about) { $about } else { $word }
      [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $about)
    }
}`,
};

export const scriptFor = (shell: Shell): string =>
  `${shell === 'zsh' ? '#compdef paycli\n' : ''}${madeByLine(shell)}\n${SCRIPTS[shell]}\n`;
