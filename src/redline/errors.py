"""The one base of errors that are told to the user as a sentence."""


class UserError(Exception):
    """Something the user can mend: what, where and what to do, as a sentence.

    `exit_status` is what the command line ends with: 2 for wrong usage, configuration or faults
    found, 1 where the machine gave out (full disk).
    """

    exit_status = 2
