"""The command line: one file a command group, thin."""


def main() -> None:
    """Start the command line."""
    print("redline")
