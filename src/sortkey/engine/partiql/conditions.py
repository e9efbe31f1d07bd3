"""WHERE as a condition: its tree in the syntax of the expressions, which then check, compile and
evaluate it.
"""

from __future__ import annotations

from sortkey.engine.partiql.syntax import (
    Call,
    Literal,
    Node,
    OddStep,
    Operation,
    Reference,
    Sequence,
    TypeTest,
    Unsupported,
)
from sortkey.engine.partiql.values import Parameters, unsupported
from sortkey.errors import ValidationException
from sortkey.expressions import syntax as trees
from sortkey.expressions.conditions import Condition, compile_condition_tree
from sortkey.expressions.faults import Fault
from sortkey.expressions.functions import OPERAND_COUNTS
from sortkey.expressions.paths import Parts
from sortkey.expressions.scope import Scope
from sortkey.values.attributes import AttributeValue

NOT_BOOLEAN = "WHERE clause must contain an expression that resolves to a boolean"
IN_OPERANDS = (
    "IN operator must have a left hand argument of type Variable Reference and right hand argument "
    "of type Seq "
    "with at least one member"
)
# What DynamoDB allows after IS, with the type of attribute_type.
_TYPES = {
    "MISSING": None,
    "NULL": "NULL",
    "BOOLEAN": "BOOL",
    "BLOB": "B",
    "STRING": "S",
    "NUMERIC": "N",
    "STRUCT": "M",
    "TUPLE": "M",
    "LIST": "L",
}
_COMPARATORS = frozenset(("=", "<>", "<", "<=", ">", ">="))


class Translator:
    """Translates the expressions of one statement. Names and values become placeholders, like in
    other requests.
    """

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.names: dict[str, str] = {}
        self.values: dict[str, AttributeValue] = {}

    def where(self, node: Node) -> trees.Condition:
        """The tree of a WHERE clause."""
        if isinstance(node, Unsupported):
            raise unsupported(node)
        if not isinstance(node, Operation | TypeTest | Call) or (
            isinstance(node, Call) and node.name == "size"
        ):
            raise ValidationException(NOT_BOOLEAN)
        return self.condition(node)

    def compile(self, tree: trees.Condition) -> Condition:
        try:
            return compile_condition_tree(tree, Scope(self.names, self.values)).make(self.values)
        except Fault as fault:
            raise ValidationException(str(fault)) from None

    def parts(self, path: trees.Path) -> Parts:
        return tuple(self.names[part] if isinstance(part, str) else part for part in path.parts)

    # -- conditions

    def condition(self, node: Node) -> trees.Condition:
        match node:
            case Operation("and" | "or" as operator, operands):
                terms = tuple(self._term(operand) for operand in operands)
                return (
                    trees.And(_flat(terms, trees.And))
                    if operator == "and"
                    else trees.Or(_flat(terms, trees.Or))
                )
            case Operation("not", (operand,)):
                if not isinstance(operand, Operation | TypeTest | Call):
                    raise ValidationException("The argument to NOT must be a Type or Expression")
                return trees.Not(self.condition(operand))
            case Operation("between", (operand, low, high)):
                return trees.Between(self.operand(operand), self.operand(low), self.operand(high))
            case Operation("in", (operand, choices)):
                return self._membership(operand, choices)
            case Operation(operator, (left, right)) if operator in _COMPARATORS:
                return trees.Comparison(operator, self.operand(left), self.operand(right))
            case Operation(operator):
                raise ValidationException(
                    f"Unsupported operator in Condition Expression. Operator: {operator}"
                )
            case TypeTest():
                return self._type_test(node)
            case Call():
                return self._call(node)
            case Unsupported():
                raise unsupported(node)
            case _:
                raise ValidationException(NOT_BOOLEAN)

    def _term(self, node: Node) -> trees.Condition:
        if isinstance(node, Unsupported):
            raise unsupported(node)
        if not isinstance(node, Operation | TypeTest | Call):
            raise ValidationException("The arguments to AND/OR must be Expressions")
        if isinstance(node, Call) and node.name == "size":
            self._call(node)
            raise ValidationException(
                "Incorrect operand type for operator or function; operator or function: AND, "
                "operand type: N"
            )
        return self.condition(node)

    def _membership(self, operand: Node, choices: Node) -> trees.Condition:
        if isinstance(operand, Unsupported):
            raise unsupported(operand)
        if not isinstance(choices, Sequence) or not choices.members:
            raise ValidationException(IN_OPERANDS)
        return trees.Membership(
            self.operand(operand), tuple(self.operand(member) for member in choices.members)
        )

    def _type_test(self, node: TypeTest) -> trees.Condition:
        if not isinstance(node.operand, Reference | Literal) or (
            isinstance(node.operand, Literal) and node.operand.kind == "MISSING"
        ):
            raise ValidationException(
                "The left hand side argument to IS must be a Variable Reference, Literal, or Path"
            )
        if node.type not in _TYPES:
            raise ValidationException(
                f"Unsupported data type for IS operator: {node.type}. Supported data types are "
                f"[{', '.join(_TYPES)}] at {node.place}"
            )
        operand, kind = self.operand(node.operand), _TYPES[node.type]
        if kind is None:
            return trees.Call("attribute_not_exists", (operand,))
        return trees.Call("attribute_type", (operand, self._value({"S": kind})))

    def _call(self, node: Call) -> trees.Call:
        if node.name not in OPERAND_COUNTS:
            raise ValidationException(f"Unrecognized function: {node.name}")
        return trees.Call(node.name, tuple(self.operand(operand) for operand in node.operands))

    # -- operands

    def operand(self, node: Node) -> trees.Operand:
        match node:
            case Reference():
                return self.path(node)
            case Call():
                return self._call(node)
            case Operation(operator):
                raise ValidationException(
                    f"Unsupported operator in Condition Expression. Operator: {operator}"
                )
            case _:
                value = self.parameters.resolve(node)
                if value is None:
                    raise ValidationException(NOT_BOOLEAN)
                return self._value(value)

    def path(self, node: Reference) -> trees.Path:
        return trees.Path(
            tuple(part if isinstance(part, int) else self._alias(part) for part in path_parts(node))
        )

    def _alias(self, name: str) -> str:
        alias = f"#{len(self.names)}"
        self.names[alias] = name
        return alias

    def _value(self, value: AttributeValue) -> trees.Value:
        placeholder = f":{len(self.values)}"
        self.values[placeholder] = value
        return trees.Value(placeholder)


def path_parts(node: Reference) -> Parts:
    """The names and indexes of a path. Refuses steps that DynamoDB does not support."""
    for step in node.steps:
        if isinstance(step, OddStep):
            raise ValidationException(f"{step.words} at {step.place}")
        if step == "":
            raise ValidationException("Path component cannot be an empty string")
    return tuple(step for step in node.steps if not isinstance(step, OddStep))


def _flat(
    terms: tuple[trees.Condition, ...], kind: type[trees.And] | type[trees.Or]
) -> tuple[trees.Condition, ...]:
    flat: list[trees.Condition] = []
    for term in terms:
        flat.extend(term.terms if isinstance(term, kind) else (term,))
    return tuple(flat)
