#!/usr/bin/env python3
"""Prints the types of what `git llmpatch --json` prints, made of its schema: `types.py python` or `types.py typescript`."""

import json
import keyword
import sys
from pathlib import Path
from typing import Any

SCHEMA = Path(__file__).parent.parent / "crates/llmpatch/src/report/schema.json"
Form = dict[str, Any]


def name(ref: str) -> str:
    own = ref.rsplit("/", 1)[-1]
    return own[0].upper() + own[1:]


class Python:
    plain = {"string": "str", "integer": "int", "boolean": "bool", "null": "None"}
    head = (
        '"""What `git llmpatch --json` prints. Made of its schema."""\n\n'
        "from __future__ import annotations\n\n"
        "import types\nfrom dataclasses import dataclass, fields, is_dataclass\n"
        "from typing import Any, Literal, Union, get_args, get_origin, get_type_hints\n"
    )
    tail = '''

def read(kind: Any, value: Any) -> Any:
    """Returns a value of JSON as the type that it has in the schema. Fields that are not known are left out: new ones may come."""
    if get_origin(kind) in (Union, types.UnionType):
        kinds = [one for one in get_args(kind) if one is not type(None)]
        return None if value is None else read(kinds[0], value)
    if get_origin(kind) is list:
        return [read(get_args(kind)[0], one) for one in value]
    if not (isinstance(kind, type) and is_dataclass(kind)):
        return value
    hints = get_type_hints(kind)
    names = {field.name: field.name.rstrip("_") for field in fields(kind)}
    return kind(**{name: read(hints[name], value[key]) for name, key in names.items() if key in value})
'''

    def array(self, of: str) -> str:
        return f"list[{of}]"

    def constants(self, values: list[Any]) -> str:
        return f"Literal[{', '.join(map(repr, values))}]"

    def alias(self, kind: str, is_: str) -> str:
        return f"\n{kind} = {is_}\n"

    def record(self, kind: str, about: str, fields: list[tuple[str, str, bool, str]]) -> str:
        text = f'\n\n@dataclass(frozen=True, kw_only=True)\nclass {kind}:\n    """{about}"""\n'
        for field, type_, is_required, about in fields:
            field += "_" if keyword.iskeyword(field) else ""
            text += f"\n    {field}: {type_ if is_required else f'{type_} | None = None'}\n    {about!r}\n"
        return text


class TypeScript:
    plain = {"string": "string", "integer": "number", "boolean": "boolean", "null": "null"}
    head = "// What `git llmpatch --json` prints. Made of its schema.\n"
    tail = ""

    def array(self, of: str) -> str:
        return f"readonly ({of})[]"

    def constants(self, values: list[Any]) -> str:
        return " | ".join(map(json.dumps, values))

    def alias(self, kind: str, is_: str) -> str:
        return f"\nexport type {kind} = {is_};\n"

    def record(self, kind: str, about: str, fields: list[tuple[str, str, bool, str]]) -> str:
        text = f"\n/** {about} */\nexport interface {kind} {{\n"
        for field, type_, is_required, about in fields:
            text += f"  /** {about} */\n  readonly {field}{'' if is_required else '?'}: {type_};\n"
        return text + "}\n"


def written(language: Python | TypeScript, form: Form) -> str:
    """Returns the type that a form has in a language."""
    if "$ref" in form:
        return name(form["$ref"])
    if "anyOf" in form:
        return " | ".join(written(language, one) for one in form["anyOf"])
    if "const" in form:
        return language.constants([form["const"]])
    if "enum" in form:
        return language.constants(form["enum"])
    if form["type"] == "array":
        return language.array(written(language, form["items"]))
    types = form["type"] if isinstance(form["type"], list) else [form["type"]]
    return " | ".join(language.plain[one] for one in types)


def main() -> None:
    language: Python | TypeScript = {"python": Python, "typescript": TypeScript}[sys.argv[1]]()
    schema = json.loads(SCHEMA.read_text())
    text = language.head
    for kind, form in {**schema["$defs"], "document": schema}.items():
        if "oneOf" in form:
            text += language.alias(name(kind), language.constants([one["const"] for one in form["oneOf"]]))
            continue
        fields = [
            (field, written(language, of), field in form["required"], of.get("description", ""))
            for field, of in form["properties"].items()
        ]
        text += language.record(name(kind), form.get("description") or form["title"], fields)
    print(text + language.tail, end="")


main()
