// The script is a table of what each command takes, and below it a function that is the same for any table.

#include "app/bash_completion.h"

#include <fmt/format.h>

#include <string_view>

namespace lig::app {

namespace {

constexpr std::string_view opening =
    R"bash(# Completion of ligament for bash, printed by 'ligament completion bash'.

# What may stand for an argument of a command: "KIND WORD…", where it takes a value at all.
_ligament_argument() {
    case $1 in
)bash";

constexpr std::string_view closing = R"bash(    esac
}

_ligament_files() {
    local name ending
    compopt -o filenames 2> /dev/null
    while IFS= read -r name; do
        if [[ -d $name ]] || (($# == 0)); then
            COMPREPLY+=("$name")
            continue
        fi
        for ending; do [[ $name == *"$ending" ]] && COMPREPLY+=("$name"); done
    done < <(compgen -f -- "$word")
}

_ligament_keyframes() {
    "${COMP_WORDS[0]}" completion keyframes "${model/#\~/$HOME}" 2> /dev/null
}

# $1: what completes; then the words for it.
_ligament_complete() {
    local kind=$1 before=
    shift
    case $kind in
        choice) mapfile -t COMPREPLY < <(compgen -W "$*" -- "$word") ;;
        choices)
            [[ $word == *,* ]] && before=${word%,*},
            compopt -o nospace 2> /dev/null
            mapfile -t COMPREPLY < <(compgen -P "$before" -W "$*" -- "${word##*,}") ;;
        file) _ligament_files "$@" ;;
        folder)
            compopt -o filenames 2> /dev/null
            mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
        keyframe)
            [[ -n $model ]] &&
                mapfile -t COMPREPLY < <(compgen -W "$(_ligament_keyframes)" -- "$word") ;;
    esac
}

_ligament() {
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} model= option= value= count=0 k
    local -a argument=()
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$(_ligament_argument commands)" -- "$word")
        return
    fi
    if [[ $command == help ]]; then
        ((COMP_CWORD == 2)) && mapfile -t COMPREPLY < <(compgen -W "$(_ligament_argument names)" -- "$word")
        return
    fi
    # Which option awaits a value, and how many arguments without a name there are. Bash takes --dt=1 for
    # three words.
    for ((k = 2; k < COMP_CWORD; ++k)); do
        value=${COMP_WORDS[k]}
        if [[ $value == "=" && -n $option ]]; then
            continue
        elif [[ -n $option ]]; then
            option=
        elif [[ $value == --* ]]; then
            [[ -n $(_ligament_argument "$command $value") ]] && option=$value
        else
            count=$((count + 1))
            [[ $(_ligament_argument "$command $count") == model* ]] && model=$value
        fi
    done
    [[ $word == "=" && -n $option ]] && word=
    if [[ -n $option ]]; then
        read -ra argument <<< "$(_ligament_argument "$command $option")"
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_ligament_argument "$command options")" -- "$word")
        return
    else
        read -ra argument <<< "$(_ligament_argument "$command $((count + 1))")"
        ((${#argument[@]} == 0)) && read -ra argument <<< "$(_ligament_argument "$command more")"
        [[ ${argument[0]} == model ]] && argument[0]=file
    fi
    _ligament_complete "${argument[@]}"
}

complete -F _ligament ligament
)bash";

std::string_view kind_of(const ArgumentDescription& argument) {
    switch (argument.completion) {
        case Completion::nothing: break;
        case Completion::choice: return "choice";
        case Completion::choices: return "choices";
        case Completion::file: return argument.name == "MODEL" ? "model" : "file";
        case Completion::folder: return "folder";
        case Completion::keyframe: return "keyframe";
    }
    return "nothing";
}

// A line of the table.
std::string entry(std::string_view command, std::string_view key, std::string_view words) {
    return fmt::format("        '{}{}{}') echo '{}' ;;\n", command, command.empty() ? "" : " ", key, words);
}

std::string entry(const CommandDescription& command, std::string_view key,
                  const ArgumentDescription& argument) {
    return entry(command.name, key,
                 fmt::format("{}{}{}", kind_of(argument), argument.words.empty() ? "" : " ",
                             fmt::join(argument.words, " ")));
}

}  // namespace

std::string bash_completion(std::span<const CommandDescription> commands) {
    std::string text(opening), names;
    for (const CommandDescription& command : commands) names += (names.empty() ? "" : " ") + command.name;
    text += entry("", "names", names);
    text += entry("", "commands", names + " help --help --version");
    for (const CommandDescription& command : commands) {
        std::string options;
        for (const ArgumentDescription& option : command.options)
            options += (options.empty() ? "" : " ") + option.name;
        text += entry(command.name, "options", options);
        for (const ArgumentDescription& option : command.options)
            if (!option.value.empty()) text += entry(command, option.name, option);
        for (std::size_t k = 0; k < command.positionals.size(); ++k) {
            text += entry(command, std::to_string(k + 1), command.positionals[k]);
            if (command.more_of_the_last && k + 1 == command.positionals.size())
                text += entry(command, "more", command.positionals[k]);
        }
    }
    return text.append(closing);
}

}  // namespace lig::app
