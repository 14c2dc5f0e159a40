"""Classes that newer PHP has itself, and that repositories define for older ones. Names in lower case."""

from __future__ import annotations

BACKPORTED = frozenset(
    """
    allowdynamicproperties attribute arithmeticerror assertionerror closedgeneratorexception collator countable
    curlstringfile datetimeinterface deprecated divisionbyzeroerror error intldateformatter jsonexception
    jsonserializable locale nodiscard normalizer numberformatter override phptoken
    reflectionenum returntypewillchange sensitiveparameter sensitiveparametervalue sessionhandlerinterface stringable
    throwable typeerror unhandledmatcherror unitenum backedenum valueerror weakmap weakreference
    """.split()
)
