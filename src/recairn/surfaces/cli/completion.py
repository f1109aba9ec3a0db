"""Completion scripts for three shells, written from the table."""

from __future__ import annotations

from recairn.core.kinds import one_of
from recairn.surfaces.cli.parse import FILES, GLOBAL_OPTIONS, by_name, choices, options_of, words_of
from recairn.surfaces.cli.table import FAMILIES, commands, spellings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recairn.surfaces.cli.call import Call
    from recairn.surfaces.cli.command import Command
    from recairn.surfaces.cli.parse import Option

SHELLS = ("bash", "zsh", "fish")
COMMAND_NAMES = tuple(commands())


def completion(call: Call) -> None:
    shell = one_of("shell", call.arguments["shell"], SHELLS)
    call.screen.write(script(shell))


def script(shell: str) -> str:
    """The completion script of a shell."""
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](commands())


def _options(row: Command) -> list[Option]:
    """A command's options and the global ones; its own win."""
    named = {**by_name(GLOBAL_OPTIONS), **by_name(options_of(row.arguments))}
    return list({option.names: option for option in named.values()}.values())


def _names(options: Iterable[Option]) -> str:
    return " ".join(name for option in options for name in option.names)


def _rows_by_spelling(rows: dict[str, Command]) -> dict[str, Command]:
    """Every word that begins a command line, with the row whose options fit it."""
    return {spelling: rows[words[0]] for spelling, words in spellings(rows).items()}


def _first_words(rows: dict[str, Command]) -> list[str]:
    return list(dict.fromkeys([name.partition(" ")[0] for name in rows] + list(FAMILIES)))


def _members(rows: dict[str, Command]) -> dict[str, list[str]]:
    members: dict[str, list[str]] = {}
    for spelling in spellings(rows):
        family, *member = spelling.split()
        if member and member[0] not in members.setdefault(family, []):
            members[family].append(member[0])
    return {family: names for family, names in members.items() if names}


def _deeper(rows: dict[str, Command]) -> dict[str, list[str]]:
    """The third words of commands, by the two before them."""
    members: dict[str, list[str]] = {}
    for first, second, third in (name.split() for name in rows if name.count(" ") == 2):
        members.setdefault(f"{first} {second}", []).append(third)
    return members


def _word_choices(row: Command) -> tuple[str, ...]:
    return tuple(name for word in words_of(row.arguments) for name in choices(word.name))


def _values(rows: dict[str, Command]) -> dict[tuple[str, ...], list[str]]:
    """The names of options by the placeholders they have: `--by` means something else elsewhere."""
    places: dict[str, list[str]] = {}
    for row in rows.values():
        for option in _options(row):
            for name in option.names if option.placeholder else ():
                places.setdefault(name, []).append(option.placeholder)
    options: dict[tuple[str, ...], list[str]] = {}
    for name, having in places.items():
        options.setdefault(tuple(dict.fromkeys(having)), []).append(name)
    return options


def _own_value_cases(rows: dict[str, Command], answer: str, other: str) -> list[str]:
    """Arms over command and previous word, of options that take other names elsewhere."""
    shared = {name for places, names in _values(rows).items() if len(places) > 1 for name in names}
    arms: dict[str, list[str]] = {}
    for spelling, row in _rows_by_spelling(rows).items():
        for option in _options(row):
            for name in shared.intersection(option.names) if option.placeholder else ():
                words = " ".join(choices(option.placeholder))
                does = answer.format(words) if words else other
                arms.setdefault(does, []).append(f'"{spelling} {name}"')
    return [f"    {'|'.join(sorted(places))}) {does} ;;" for does, places in arms.items()]


def _value_cases(rows: dict[str, Command], answer: str, files: str, other: str) -> list[str]:
    """The arms of a shell `case` over the previous word, each answering with a completion."""
    free: list[str] = []
    lines = []
    for places, names in _values(rows).items():
        words = " ".join(dict.fromkeys(word for place in places for word in choices(place)))
        if words:
            lines.append(f"    {'|'.join(names)}) {answer.format(words)} ;;")
        elif set(FILES).intersection(places):
            lines.append(f"    {'|'.join(names)}) {files} ;;")
        else:
            free.extend(names)
    lines.append(f"    {'|'.join(free)}) {other} ;;")
    return lines


def _option_cases(rows: dict[str, Command], quote: str) -> list[str]:
    cases = {
        spelling: (_options(row), _word_choices(row))
        for spelling, row in _rows_by_spelling(rows).items()
    }
    for pair, words in _deeper(rows).items():
        cases[pair] = (GLOBAL_OPTIONS, tuple(words))
    return [
        f'    "{spelling}") options={quote.format(_names(options))}'
        f" words={quote.format(' '.join(words))} ;;"
        for spelling, (options, words) in cases.items()
    ]


def _member_cases(rows: dict[str, Command], quote: str) -> list[str]:
    return [
        f"    {family}) members={quote.format(' '.join(names))} ;;"
        for family, names in _members(rows).items()
    ]


def _bash(rows: dict[str, Command]) -> str:
    answer = 'COMPREPLY=($(compgen -W "{}" -- "$current")); return'
    files = 'COMPREPLY=($(compgen -f -- "$current")); return'
    return "\n".join(
        [
            "# bash completion for recairn; write it to",
            "# ~/.local/share/bash-completion/completions/recairn",
            "_recairn() {",
            "  local current previous word command= members= options= words= position",
            '  current="${COMP_WORDS[COMP_CWORD]}"',
            '  previous="${COMP_WORDS[COMP_CWORD-1]}"',
            "  COMPREPLY=()",
            "  for ((position = 1; position < COMP_CWORD; position++)); do",
            '    word="${COMP_WORDS[position]}"',
            '    case "$word" in',
            "      --db|--project) ((position++)) ;;",
            "      -*) ;;",
            '      *) command="${command:+$command }$word"; [[ "$command" == *" "* ]] && break ;;',
            "    esac",
            "  done",
            '  if [[ -z "$command" ]]; then',
            f"    options='{_names(GLOBAL_OPTIONS)}'",
            f"    words='{' '.join(_first_words(rows))}'",
            "  else",
            '  case "${command%% *}" in',
            *_member_cases(rows, "'{}'"),
            "  esac",
            '  [[ -z "$members" ]] && command="${command%% *}"',
            '  case "$command $previous" in',
            *_own_value_cases(rows, answer, "return"),
            "  esac",
            '  case "$command" in',
            *_option_cases(rows, "'{}'"),
            "  esac",
            '  [[ -n "$members" && "$command" != *" "* ]] && words="$members"',
            "  fi",
            '  case "$previous" in',
            *_value_cases(rows, answer, files, "return"),
            "  esac",
            '  if [[ "$current" == -* ]]; then',
            '    COMPREPLY=($(compgen -W "$options" -- "$current"))',
            "  else",
            '    COMPREPLY=($(compgen -W "$words" -- "$current"))',
            "  fi",
            "}",
            "complete -o default -F _recairn recairn",
            "",
        ]
    )


def _zsh(rows: dict[str, Command]) -> str:
    return "\n".join(
        [
            "#compdef recairn",
            "# zsh completion for recairn; write it to a folder of $fpath as _recairn",
            "_recairn() {",
            "  local command= word previous",
            "  local -a members options words_here",
            '  previous="${words[CURRENT-1]}"',
            "  integer position=2",
            "  while (( position < CURRENT )); do",
            '    word="${words[position]}"',
            '    case "$word" in',
            "      --db|--project) (( position++ )) ;;",
            "      -*) ;;",
            '      *) command="${command:+$command }$word"; [[ "$command" == *" "* ]] && break ;;',
            "    esac",
            "    (( position++ ))",
            "  done",
            '  if [[ -z "$command" ]]; then',
            f"    options=({_names(GLOBAL_OPTIONS)})",
            f"    words_here=({' '.join(_first_words(rows))})",
            "  else",
            '  case "${command%% *}" in',
            *_member_cases(rows, "({})"),
            "  esac",
            '  (( ${#members} )) || command="${command%% *}"',
            '  case "$command $previous" in',
            *_own_value_cases(rows, "compadd -- {}; return", "return"),
            "  esac",
            '  case "$command" in',
            *(line.replace(" words=", " words_here=") for line in _option_cases(rows, "({})")),
            "  esac",
            '  (( ${#members} )) && [[ "$command" != *" "* ]] && words_here=($members)',
            "  fi",
            '  case "$previous" in',
            *_value_cases(rows, "compadd -- {}; return", "_files; return", "return"),
            "  esac",
            '  if [[ "${words[CURRENT]}" == -* ]]; then',
            "    compadd -- $options",
            "  else",
            "    compadd -- $words_here || _files",
            "  fi",
            "}",
            '_recairn "$@"',
            "",
        ]
    )


def _fish(rows: dict[str, Command]) -> str:
    lines = [
        "# fish completion for recairn; write it to ~/.config/fish/completions/recairn.fish",
        "complete -c recairn -f",
    ]
    names = _first_words(rows)
    for name in names:
        about = rows[name].about if name in rows else f"{name} commands"
        lines.append(
            f"complete -c recairn -n __fish_use_subcommand -a {name} -d {_fish_quoted(about)}"
        )
    for family, members in _members(rows).items():
        named = " ".join(members)
        seen = f"__fish_seen_subcommand_from {family}; and not __fish_seen_subcommand_from {named}"
        lines.append(f"complete -c recairn -n '{seen}' -a '{named}'")
    for pair, words in _deeper(rows).items():
        named = " ".join(words)
        seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in pair.split())
        seen += f"; and not __fish_seen_subcommand_from {named}"
        lines.append(f"complete -c recairn -n '{seen}' -a '{named}'")
    for option in GLOBAL_OPTIONS:
        lines.append("complete -c recairn" + _fish_option(option))
    for name, row in _rows_by_spelling(rows).items():
        seen = (
            " -n '" + "; and ".join(f"__fish_seen_subcommand_from {w}" for w in name.split()) + "'"
        )
        lines += [
            f"complete -c recairn{seen}{_fish_option(option)}"
            for option in options_of(row.arguments)
        ]
        if _word_choices(row):
            lines.append(
                f"complete -c recairn{seen} -a {_fish_quoted(' '.join(_word_choices(row)))}"
            )
        if any(word.name in (*FILES, "FORMAT") for word in words_of(row.arguments)):
            lines.append(f"complete -c recairn{seen} -F")
    return "\n".join(lines) + "\n"


def _fish_option(option: Option) -> str:
    spelled = "".join(
        f" -l {name[2:]}" if name.startswith("--") else f" -s {name[1:]}" for name in option.names
    )
    if not option.placeholder:
        return f"{spelled} -d {_fish_quoted(option.about)}"
    if option.placeholder in FILES:
        return f"{spelled} -r -F -d {_fish_quoted(option.about)}"
    names: Sequence[str] = choices(option.placeholder)
    values = f" -a {_fish_quoted(' '.join(names))}" if names else ""
    return f"{spelled} -x{values} -d {_fish_quoted(option.about)}"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
