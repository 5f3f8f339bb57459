"""What commands, hosts and tools are to the gates."""

from __future__ import annotations

from gates.rows import Permission, ShellPattern, ToolRow, TrustedHost

SHELL_SOURCE = "gate-vector-7"
NETWORK_SOURCE = "gate-vector-8"
PERMISSION_SOURCE = "permission-table"
TOOL_SOURCE = "tool-table"

SHELL_TIMEOUT_SECONDS = 30
"""Ceiling on a shell run; a call may ask for less."""

SHELL_MAX_OUTPUT = 100_000
"""Ceiling on captured output, in characters."""

SHELL_PATTERNS: tuple[ShellPattern, ...] = (
    ShellPattern(
        "destructive-rm", r"\brm\s+-rf\s+/", "catastrophic-command", "rm -rf /", "catastrophic"
    ),
    ShellPattern(
        "destructive-dd", r"\bdd\s+if=", "raw-copy-command",
        "dd if=/dev/zero of=/dev/sda", "catastrophic",
    ),
    ShellPattern(
        "destructive-mkfs", r"\bmkfs\b", "filesystem-creation-command",
        "mkfs.ext4 /dev/sda1", "catastrophic",
    ),
    ShellPattern(
        "destructive-format", r"\bmformat\b", "disk-format-command", "mformat a:", "catastrophic"
    ),
    ShellPattern(
        "disk-wipe", r"\bshred\s+/dev/", "disk-wipe-command", "shred /dev/sda", "catastrophic"
    ),
    ShellPattern(
        "disk-wipe-b", r"\bwipefs\s+/dev/", "signature-wipe-command",
        "wipefs /dev/sda", "catastrophic",
    ),
    ShellPattern(
        "injection-backtick", r"`[^`]+`", "injection-pattern", "echo `whoami`", "dangerous"
    ),
    ShellPattern(
        "injection-subshell", r"\$\([^)]+\)", "subshell-injection-pattern",
        "echo $(whoami)", "dangerous",
    ),
)

TRUSTED_HOSTS: tuple[TrustedHost, ...] = tuple(
    TrustedHost(host, "trusted-domain", "trusted")
    for host in (
        "api.telegram.org", "matrix.org", "googleapis.com", "openai.com", "anthropic.com",
    )
)

PERMISSIONS: tuple[Permission, ...] = tuple(
    Permission(tool, member_of, "by-effect")
    for member_of, tools in (
        ("read-only-tool", "note.read file.read rule.suggest"),
        (
            "write-tool",
            # A fetch may carry a body, so it is no mere reading.
            "note.append note.write file.write file.move file.delete net.fetch message.send"
            " model.send memory.write rule.modify skill.create skill.modify",
        ),
        ("eval-tool", "shell.run code.run"),
    )
    for tool in tools.split()
)
"""A tool with a schema and without a row asks; a person's own row replaces the shipped one."""

TOOLS: tuple[ToolRow, ...] = tuple(
    ToolRow(tool, member_of)
    for member_of, tools in (
        ("file-io-tool", "file.read file.write file.move file.delete"),
        ("shell-tool", "shell.run code.run"),
        ("note-tool", "note.read note.append note.write memory.write"),
        ("network-tool", "net.fetch message.send model.send"),
        ("self-build-tool", "rule.suggest rule.modify skill.create skill.modify"),
    )
    for tool in tools.split()
)
