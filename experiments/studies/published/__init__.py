"""Published experiments, a folder per study, whose __init__.py defines STUDY."""
