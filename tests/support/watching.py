"""A watch that calls functions of a test."""

from rankduel.base.watch import Watch


class Watching(Watch):
    """Call `runs`, `playing` or `matrix`, where given, with the progress."""

    def __init__(self, command="", **called):
        self.command = command
        vars(self).update(called)
