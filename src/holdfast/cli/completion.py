"""Completion: the script that lets a shell complete commands, options, types and settings."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from . import screen
from .everywhere import Call, Verb, pass_call
from .root import PROGRAM, root


@click.command(cls=Verb)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@pass_call
def completion(call: Call, shell: str) -> None:
    """Print the script that completes commands in your shell.

    \b
    eval "$(holdfast completion bash)"                              in ~/.bashrc
    eval "$(holdfast completion zsh)"                               in ~/.zshrc
    holdfast completion fish > ~/.config/fish/completions/holdfast.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    script = kind(root, {}, PROGRAM, f"_{PROGRAM.upper()}_COMPLETE").source()
    if call.as_json:
        screen.data({"shell": shell, "script": script})
    else:
        screen.raw(script + "\n")
