import { type Model, markOf, tablesOf, type Word } from './model.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const described = ({ word, about }: Word): string => quoted(`${word}\t${about}`);

const table = (name: string, rows: readonly (readonly [key: string, values: readonly string[]])[]): string =>
  [
    `  $${name} = @{`,
    ...rows.filter(([, all]) => all.length > 0).map(([key, all]) => `    ${quoted(key)} = @(${all.join(', ')})`),
    '  }',
  ].join('\n');

/** Script names of tables whose usual name PowerShell has taken, or that are called differently. */
const NAMES: Readonly<Record<string, string>> = { args: 'arguments', alias: 'aliases' };

const tables = (model: Model): string =>
  tablesOf(model, (words) => words.map(described), quoted)
    .map(([name, rows]) =>
      table(
        NAMES[name] ?? name,
        rows.flatMap(([keys, found]) => keys.map((key) => [key, found] as const)),
      ),
    )
    .join('\n');

/** Completion script for PowerShell. */
export const powershellScript = (model: Model): string => `${markOf('powershell')}
Register-ArgumentCompleter -Native -CommandName paycli -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)

${tables(model)}
  $globals = @(${model.globals.map(described).join(', ')})

  # What may stand for the value of an option at a place.
  function valueOf($place, $name) {
    if ($values.ContainsKey(". $name")) { return $values[". $name"][0] }
    if ($values.ContainsKey("$place $name")) { return $values["$place $name"][0] }
    return ''
  }
  function offer($spec, $lead, $typed, $place, $only) {
    if ($spec.StartsWith(',')) {
      $spec = $spec.Substring(1)
      $at = $typed.LastIndexOf(',')
      if ($at -ge 0) { $lead += $typed.Substring(0, $at + 1); $typed = $typed.Substring($at + 1) }
    }
    if ($spec.StartsWith('=')) { return $spec.Substring(1).Split(' ') | ForEach-Object { $lead + $_ } }
    if ($spec -in @('', 'text', 'file', 'source')) { return @() }
    $asked = @('__complete', $spec, $typed, $place) + $only
    return & (Get-Command -CommandType Application paycli | Select-Object -First 1) @asked 2>$null | ForEach-Object { $lead + $_ }
  }

  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
  $place = ''; $pending = ''; $only = @(); $help = ''; $after = $false; $count = 0
  foreach ($word in $words) {
    if ($pending -ne '') { $pending = '' }
    elseif ($after) { $count += 1 }
    elseif ($word -ceq '--') { $after = $true }
    elseif ($word.StartsWith('-')) {
      if ($word -ceq '--local') { $only = @('--local') }
      if (-not $word.Contains('=')) { $pending = valueOf $place $word }
    }
    else {
      if ($place -eq '' -and $aliases.ContainsKey($word)) { $word = $aliases[$word][0] }
      $at = if ($place -ne '') { $place } else { $help }
      $known = @($steps[$at] | ForEach-Object { "$_".Split("\`t")[0] })
      if ($place -eq '' -and $help -eq '' -and $word -cin @('help', 'schema')) { $help = $word }
      elseif ($known -ccontains $word) { $place = "$place $word".Trim() }
      else { $count += 1 }
    }
  }

  $found = @()
  $at = if ($place -ne '') { $place } else { $help }
  $equals = $wordToComplete.IndexOf('=')
  if ($pending -ne '') { $found = offer $pending '' $wordToComplete $place $only }
  elseif (-not $after -and $wordToComplete.StartsWith('--') -and $equals -gt 0) {
    $name = $wordToComplete.Substring(0, $equals)
    $found = offer (valueOf $place $name) "$name=" $wordToComplete.Substring($equals + 1) $place $only
  }
  elseif (-not $after -and $wordToComplete.StartsWith('-')) { $found = @($options[$place]) + $globals }
  elseif ($steps.ContainsKey($at)) { $found = $steps[$at] }
  elseif ($help -eq '' -and $arguments.ContainsKey($place)) {
    $specs = $arguments[$place]
    $spec = if ($count -lt $specs.Count) { $specs[$count] } elseif ($specs[-1].EndsWith('+')) { $specs[-1] } else { '' }
    $found = offer $spec.TrimEnd('+') '' $wordToComplete $place $only
  }

  $found | Where-Object { $_ -and "$_".StartsWith($wordToComplete) } | ForEach-Object {
    $parts = "$_".Split("\`t")
    $about = if ($parts.Count -gt 1 -and $parts[1] -ne '') { $parts[1] } else { $parts[0] }
    [System.Management.Automation.CompletionResult]::new($parts[0], $parts[0], 'ParameterValue', $about)
  }
}
`;
