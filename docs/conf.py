"""Settings of the documentation site; `make docs` builds it."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "rankduel"
author = "The rankduel authors"
copyright = author
version = release = installed_version("rankduel")

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",
    "sphinx_copybutton",
    "sphinx_design",
    "mathml",
    "offline",
    "catalogues",
    "commands",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "_templates", "**/.ipynb_checkpoints"]
nitpicky = True
smartquotes = False  # quotes in docstrings are often code
default_role = "literal"  # of `names` in docstrings

# Pages are Markdown. Notebooks are shown with the output they were saved with.
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "off"

# Types stand in the docstrings, and the signatures stay short.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
# Names of the standard library's and NumPy's types are not links: these pages are elsewhere.
numpydoc_xref_param_type = False

# Formulas become MathML, which browsers draw by themselves: no script and no fonts to load.
html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = f"rankduel {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"gallery": [], "reproduction": []}  # single pages, without a section to navigate
html_theme_options = {
    "logo": {"text": "rankduel"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navigation_with_keys": False,
    "show_prev_next": True,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "header_links_before_dropdown": 7,
}
pygments_style = "default"

# A copied example has neither prompts nor output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"
