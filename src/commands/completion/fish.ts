import { type Model, markOf, tablesOf, type Word } from './model.ts';

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const described = ({ word, about }: Word): string => quoted(`${word}\t${about}`);

/** Builds a function that prints the lines for its first argument. */
const table = (name: string, rows: readonly (readonly [keys: readonly string[], lines: readonly string[]])[]): string =>
  [
    `function ${name}`,
    '    switch "$argv[1]"',
    ...rows
      .filter(([keys, lines]) => keys.length > 0 && lines.length > 0)
      .flatMap(([keys, lines]) => [
        `        case ${keys.map(quoted).join(' ')}`,
        `            printf '%s\\n' ${lines.join(' ')}`,
      ]),
    '    end',
    'end',
  ].join('\n');

const tables = (model: Model): string =>
  tablesOf(model, (words) => words.map(described), quoted)
    .map(([name, rows]) => table(`__paycli_${name}`, rows))
    .join('\n\n');

/** Completion script for fish. */
export const fishScript = (model: Model): string => `${markOf('fish')}

${tables(model)}

# What may stand for the value of an option at a place.
function __paycli_value
    set -l found (__paycli_values ". $argv[2]")
    test -n "$found"; or set found (__paycli_values "$argv[1] $argv[2]")
    test -n "$found"; and printf '%s\\n' $found
end

# The place of the words so far: help and schema stand before those of a command.
function __paycli_at
    test -n "$argv[1]"; and printf '%s\\n' $argv[1]; or printf '%s\\n' "$argv[2]"
end

# Prints what may stand for a value: each behind what stands before it on the line.
function __paycli_offer
    set -l spec $argv[1]
    set -l lead $argv[2]
    set -l typed $argv[3]
    if string match -q -- ',*' $spec
        set spec (string sub -s 2 -- $spec)
        if string match -q -- '*,*' $typed
            set lead $lead(string replace -r '[^,]*$' '' -- $typed)
            set typed (string replace -r '^.*,' '' -- $typed)
        end
    end
    switch "$spec"
        case '=*'
            for one in (string split ' ' -- (string sub -s 2 -- $spec))
                printf '%s\\n' $lead$one
            end
        case source
            if string match -q -- '@*' $typed
                for one in (string sub -s 2 -- $typed)*
                    printf '%s\\n' $lead@$one
                end
            end
        case file
            for one in $typed*
                test -d $one; and set one $one/
                printf '%s\\n' $lead$one
            end
        case text ''
        case '*'
            for one in (command paycli __complete $spec "$typed" "$argv[4]" $argv[5..-1] 2>/dev/null </dev/null)
                printf '%s\\n' $lead$one
            end
    end
end

function __paycli
    set -l words (commandline -opc)[2..-1]
    set -l cur (string replace -r '^[\\'"]' '' -- (commandline -ct))
    set -l place ''
    set -l pending
    set -l only
    set -l help
    set -l after
    set -l count 0
    for word in $words
        if test -n "$pending"
            set pending
        else if test -n "$after"
            set count (math $count + 1)
        else if test "$word" = --
            set after 1
        else if string match -q -- '-*' $word
            test "$word" = --local; and set only --local
            string match -q -- '*=*' $word; or set pending (__paycli_value "$place" $word)
        else
            if test -z "$place"
                set -l name (__paycli_alias $word)
                test -n "$name"; and set word $name
            end
            if test -z "$place$help"; and contains -- $word help schema
                set help $word
            else if contains -- $word (string replace -r '\\t.*' '' -- (__paycli_steps (__paycli_at "$place" $help)))
                set place (string trim -- "$place $word")
            else
                set count (math $count + 1)
            end
        end
    end

    if test -n "$pending"
        __paycli_offer $pending '' "$cur" "$place" $only
    else if test -z "$after"; and string match -q -- '--*=*' $cur
        set -l name (string replace -r '=.*' '' -- $cur)
        __paycli_offer (__paycli_value "$place" $name) $name= (string replace -r '^[^=]*=' '' -- $cur) "$place" $only
    else if test -z "$after"; and string match -q -- '-*' $cur
        __paycli_options "$place"
        printf '%s\\n' ${model.globals.map(described).join(' ')}
    else
        set -l steps (__paycli_steps (__paycli_at "$place" $help))
        if test -n "$steps"
            printf '%s\\n' $steps
        else if test -z "$help"
            set -l specs (__paycli_args "$place")
            set -l spec $specs[(math $count + 1)]
            test -z "$spec"; and string match -q -- '*+' "$specs[-1]"; and set spec $specs[-1]
            __paycli_offer (string replace -r '\\+$' '' -- "$spec") '' "$cur" "$place" $only
        end
    end
end

complete -c paycli -f -a '(__paycli)'
`;
