"""How `make docs` builds the site. Nothing is fetched, when it is built or when it is read."""

import sys
from pathlib import Path

import matplotlib

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "rosenblatt"
author = "The rosenblatt developers"
copyright = "The rosenblatt developers; BSD-3-Clause"
html_title = "rosenblatt"

extensions = [
    "myst_parser",  # pages are Markdown, whose examples `make check` runs
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "repository",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]

html_theme = "furo"  # light, and all of it comes with the package
html_static_path = ["_static", f"{matplotlib.get_data_path()}/fonts/ttf/STIXGeneral.ttf"]  # for formulas
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
pygments_style = "default"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autosummary_imported_members = True  # packages list what is public in __all__, wherever it is defined
autosummary_ignore_module_all = False
autodoc_default_options = {"members": True, "member-order": "bysource", "exclude-members": "set_output"}
autodoc_typehints_format = "short"
autodoc_type_aliases = {name: name for name in ("Array", "Bools", "Data", "Floats", "Ints")}
add_module_names = False
default_role = "py:obj"  # `predict` in a docstring is code, and a link where there is something of that name
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
toc_object_entries = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/(?!learning_from_clicks|reranking|drifting_stream)\w+\.py$",
    "within_subsection_order": "repository.ReadingOrder",
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "remove_config_comments": True,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "run_stale_examples": True,  # a script may be what it was, and the library not
    "doc_module": ("rosenblatt",),
    "backreferences_dir": None,
}
nitpicky = True  # a name of ours that is not there ends the build; types in signatures are often internal
nitpick_ignore_regex = [("py:class", ".*"), ("py:.*", r"(?!rosenblatt\.).*")]

OTHERS = {"get_metadata_routing", "get_params", "set_params"}


def is_others(app, what, name, value, *rest):
    """Leave out what scikit-learn and River put into every estimator: their own documentation has it."""
    asked = name.startswith("set_") and name.endswith("_request")
    return name in OTHERS or asked or str(getattr(value, "__module__", "")).startswith("river.") or None


def leave_out_its_type(app, what, name, value, options, lines):
    """Of a value that has no docstring, autodoc shows that of its type, which says nothing about it."""
    if what == "data" and lines and lines[0] in (value.__doc__ or ""):
        lines.clear()


def setup(app):
    """Tell autodoc what to leave out."""
    app.connect("autodoc-skip-member", is_others)
    app.connect("autodoc-process-docstring", leave_out_its_type, priority=100)
