# Asks the program. Nothing that was typed is evaluated: only quotes and backslashes are taken off.
__nvnodetop_ask()
{
    local i program=${words[0]/#\~\//$HOME/}
    [[ $(type -t -- "$program") == alias ]] && program=nvnodetop
    for i in "${!args[@]}"; do
        args[i]=${args[i]//[\"\'\\]/}
    done
    "$program" __complete "${args[@]}"
}

# Sets the words up to the cursor, without the package bash-completion. Bash has also split them at "=" and ":".
__nvnodetop_split()
{
    local line=${COMP_LINE:0:COMP_POINT} i gap word
    words=() cword=-1
    for ((i = 0; i <= COMP_CWORD; i++)); do
        gap=${line%%[![:space:]]*}
        line=${line#"$gap"}
        word=${COMP_WORDS[i]}
        ((i < COMP_CWORD)) || word=$line
        if [[ -n $gap || i -eq 0 ]]; then
            words[++cword]=$word
        else
            words[cword]+=$word
        fi
        line=${line#"$word"}
    done
    cur=${words[cword]}
    prev=
    ((cword == 0)) || prev=${words[cword - 1]}
}

# Completes directories, and files that end with "$1", which is "nvr|".
__nvnodetop_files()
{
    if declare -F _filedir >/dev/null 2>&1; then
        _filedir "$1"
        return
    fi
    local file
    [[ $(type -t compopt) == builtin ]] && compopt -o filenames
    while IFS= read -r file; do
        COMPREPLY+=("$file")
    done < <(compgen -d -- "$cur"; compgen -f -X "!*.${1%|}" -- "$cur")
}
