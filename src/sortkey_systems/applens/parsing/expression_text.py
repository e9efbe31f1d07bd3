"""Expressions back into text, always in the same form, so that the name of an unresolved value does
not depend on layout.
"""

from __future__ import annotations

import json

from sortkey_systems.applens.parsing import syntax as s


def render(expression: s.Expression | str) -> str:
    """One line of HCL."""
    match expression:
        case str():
            return expression
        case s.Literal(value):
            return json.dumps(value, ensure_ascii=False)
        case s.Name(name):
            return name
        case s.Attribute(of, name):
            return f"{render(of)}.{name}"
        case s.Index(of, key):
            return f"{render(of)}[{render(key)}]"
        case s.Splat(of, steps):
            return f"{render(of)}[*]" + "".join(
                f".{x}" if isinstance(x, str) else f"[{render(x)}]" for x in steps
            )
        case s.Template(parts):
            return (
                '"'
                + "".join(p if isinstance(p, str) else "${" + render(p) + "}" for p in parts)
                + '"'
            )
        case s.Directive(keyword, operand):
            return f"%{keyword} {render(operand)}" if operand else f"%{keyword}"
        case s.Tuple(items):
            return "[" + ", ".join(render(item) for item in items) + "]"
        case s.Object(items):
            return (
                "{" + ", ".join(f"{render(name)} = {render(value)}" for name, value in items) + "}"
            )
        case s.Call("sensitive"):
            return "sensitive(…)"
        case s.Call(function, arguments, expand):
            return f"{function}({', '.join(render(argument) for argument in arguments)}{'...' if expand else ''})"
        case s.Conditional(condition, then, otherwise):
            return f"{render(condition)} ? {render(then)} : {render(otherwise)}"
        case s.Binary(operator, left, right):
            return f"{render(left)} {operator} {render(right)}"
        case s.Unary(operator, operand):
            return f"{operator}{render(operand)}"
        case s.For():
            return _render_for(expression)
        case _:
            raise TypeError(type(expression).__name__)


def _render_for(loop: s.For) -> str:
    head = f"for {', '.join(loop.names)} in {render(loop.over)} : "
    value = f"{render(loop.key)} => {render(loop.value)}" if loop.key else render(loop.value)
    tail = ("..." if loop.grouped else "") + (
        f" if {render(loop.condition)}" if loop.condition else ""
    )
    return ("{%s}" if loop.key else "[%s]") % (head + value + tail)
