"""A graph in Graphviz's language."""

from .nodes import nodes_of
from .svg import COLOURS


def _quote(text):
    """Backslashes would begin Graphviz's own escapes."""
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def dot_graph(definition):
    nodes, edges = nodes_of(definition)
    lines = ["digraph {", '  node [shape=box, style="rounded,filled", fontname="sans-serif", fontsize=10];']
    for i, node in enumerate(nodes):
        text = "\n".join(filter(None, [node.title, node.label, *node.lines, *node.results]))
        fill, border = COLOURS[node.kind]
        port = node.kind in ("input", "output")
        look = f'fillcolor="{fill if port else "#ffffff"}", color="{border}"' + (", shape=oval" if port else "")
        lines.append(f"  n{i} [label={_quote(text)}, tooltip={_quote(node.tip)}, {look}];")
    lines += [f"  n{source} -> n{target};" for source, _, target in edges]
    return "\n".join([*lines, "}"]) + "\n"
