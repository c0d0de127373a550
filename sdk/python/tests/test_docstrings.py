"""Every public name says what it is: units, defaults, errors."""

import ast
import dataclasses
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import Any

import pytest
from headrace import aio

MODULES = ("headrace", "headrace.aio", "headrace.errors", "headrace.testing", "headrace.opentelemetry")


def public_names(module: str) -> Iterator[tuple[str, Any]]:
    """The names that a module offers, with what they stand for."""
    imported = importlib.import_module(module)
    for name in getattr(imported, "__all__", vars(imported)):
        thing = getattr(imported, name)
        if not name.startswith("_") and getattr(thing, "__module__", "").startswith("headrace"):
            yield f"{module}.{name}", thing


def public_classes() -> Iterator[tuple[str, type]]:
    """Each public class, once."""
    seen = set()
    for module in MODULES:
        for name, thing in public_names(module):
            if inspect.isclass(thing) and thing not in seen:
                seen.add(thing)
                yield name, thing


def own_bases(of: type) -> list[type]:
    """A class, and what it inherits from within the package."""
    return [base for base in of.__mro__ if base.__module__.startswith("headrace")]


def members(of: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class, and its constructor, as they stand in it."""
    seen = set()
    for base in own_bases(of):
        for name, member in vars(base).items():
            if (not name.startswith("_") or name == "__init__") and name not in seen:
                seen.add(name)
                yield name, getattr(member, "__func__", member)


def calls() -> Iterator[tuple[str, Any, str]]:
    """Every public function, method and constructor, and what is told of it: its own text, and that of the same call
    for asyncio where its class points there."""
    for module in MODULES:
        for name, thing in public_names(module):
            if inspect.isfunction(thing):
                yield name, thing, inspect.getdoc(thing) or ""
    for owner, of in public_classes():
        points_to = re.search(
            r"take and\s+raise what\s+those of\s+:class:`headrace.aio.(\w+)`", inspect.getdoc(of) or ""
        )
        for name, member in members(of):
            told = inspect.getdoc(of if name == "__init__" and not member.__doc__ else member) or ""
            made = name == "__init__" and (dataclasses.is_dataclass(of) or "Made by" in told)
            if inspect.isfunction(member) and not made:
                told += inspect.getdoc(getattr(getattr(aio, points_to[1]), name)) or "" if points_to else ""
                yield f"{owner}.{name}", member, told


@pytest.mark.parametrize("module", MODULES)
def test_every_module_and_name_says_what_it_is(module: str) -> None:
    assert inspect.getdoc(importlib.import_module(module))
    assert [name for name, thing in public_names(module) if not inspect.getdoc(thing)] == []


def test_every_member_says_what_it_is() -> None:
    silent = []
    for owner, of in public_classes():
        for name, member in members(of):
            is_one = inspect.isfunction(member) or isinstance(member, property)
            if is_one and name != "__init__" and not (member.__doc__ or "").strip():
                silent.append(f"{owner}.{name}")
    assert silent == []


def test_every_field_of_a_dataclass_is_told() -> None:
    silent = []
    for owner, of in public_classes():
        if dataclasses.is_dataclass(of):
            told = set(re.findall(r":ivar (\w+):", inspect.getdoc(of) or ""))
            silent += [f"{owner}.{f.name}" for f in dataclasses.fields(of) if f.name not in told]
    assert silent == []


def attributes(of: type) -> Iterator[tuple[str, bool]]:
    """What a class's constructor sets, and the members of an enum, and whether a text stands behind each."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(of))).body
    assert isinstance(tree, ast.ClassDef)
    bodies = [f.body for f in tree.body if isinstance(f, ast.FunctionDef) and f.name == "__init__"]
    for body, kind in [(tree.body, ast.Name), *((body, ast.Attribute) for body in bodies)]:
        for statement, behind in zip(body, [*body[1:], None], strict=True):
            targets = statement.targets if isinstance(statement, ast.Assign) else []
            targets = [statement.target] if isinstance(statement, ast.AnnAssign) else targets
            told = isinstance(behind, ast.Expr) and isinstance(behind.value, ast.Constant)
            for target in targets:
                if isinstance(target, kind):
                    yield ast.unparse(target).removeprefix("self."), told


def test_every_attribute_is_told() -> None:
    silent = []
    for owner, of in public_classes():
        for base in own_bases(of):
            doc = inspect.getdoc(base) or ""
            silent += [
                f"{owner}.{name}"
                for name, told in attributes(base)
                if not name.startswith("_") and not told and f":ivar {name}:" not in doc
            ]
    assert sorted(set(silent)) == []


def test_every_parameter_is_told_here_or_where_the_text_points() -> None:
    silent = []
    for name, call, told in calls():
        for parameter in inspect.signature(call).parameters.values():
            needed = parameter.kind is parameter.POSITIONAL_OR_KEYWORD and parameter.default is parameter.empty
            if not needed and ":meth:" not in told and not re.search(rf"\b{parameter.name}\b", told):
                silent.append(f"{name}({parameter.name})")
    assert silent == []


def test_what_asks_the_server_says_how_it_fails() -> None:
    silent = []
    for name, call, told in calls():
        asks = inspect.iscoroutinefunction(call) or name.split(".")[-2] in ("Topics", "Subscriptions", "Listing")
        if asks and not re.search(r":raises |It (takes the timeout and )?raises|:meth:|obody hears", told):
            silent.append(name)
    assert silent == []
