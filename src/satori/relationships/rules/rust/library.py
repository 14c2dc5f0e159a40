"""What methods of std's containers and pointers give, as far as it leads on to types of the repository."""

from __future__ import annotations

from satori.relationships.rules.rust.shapes import Opaque, Outside, Tuple, Type

# A method that these do not have is looked for in what they point to.
POINTERS = frozenset(
    "Box Rc Arc Cow Ref RefMut MutexGuard RwLockReadGuard RwLockWriteGuard Pin ManuallyDrop Lazy LazyLock LazyCell "
    "AssertUnwindSafe CachePadded".split()
)
# What pointers do themselves, or may.
POINTER_METHODS = frozenset(
    "clone as_ref as_mut borrow borrow_mut deref deref_mut fmt to_string to_owned into try_into eq ne cmp partial_cmp "
    "hash default into_owned to_mut downgrade as_ptr is_borrowed is_owned as_any type_id get_mut".split()
)
_INNER = frozenset(
    "unwrap expect unwrap_or unwrap_or_else unwrap_or_default unwrap_unchecked get_or_insert_with".split()
)
_SAME_OPTION = frozenset(
    "as_ref as_mut as_deref as_deref_mut take cloned copied or or_else filter map_err inspect clone replace xor "
    "inspect_err to_owned".split()
)
_LISTS = frozenset("[] Vec VecDeque BTreeSet HashSet BinaryHeap Iter LinkedList IndexSet SmallVec ArrayVec".split())
_MAPS = frozenset("HashMap BTreeMap IndexMap FxHashMap AHashMap".split())
_ITERATORS = frozenset("iter iter_mut into_iter drain values into_sorted_vec".split())
_ONE = frozenset(
    "first last get get_mut pop first_mut last_mut next peek pop_front pop_back front back front_mut back_mut nth "
    "next_back max_by_key min_by_key find max min max_by min_by reduce peek_mut".split()
)
_SAME_LIST = frozenset(
    "clone to_vec as_slice as_mut_slice rev skip take filter peekable chain skip_while take_while step_by by_ref "
    "cloned copied inspect fuse cycle into_boxed_slice as_ref as_mut to_owned into_vec split_off".split()
)
_CELLS = frozenset("Mutex RwLock".split())


def last_name(held: Outside) -> str:
    """The name without its path."""
    return held.name.rpartition("::")[2]


def pointed(held: Type) -> Type | None:
    """What a pointer points to; None for what is none."""
    if isinstance(held, Outside) and held.args and last_name(held) in POINTERS:
        return held.args[0]
    return None


def option(held: Type) -> Outside:
    """An Option of the type."""
    return Outside("Option", (held,))


def inner(held: Type) -> Type:
    """What is in an Option or Result."""
    if isinstance(held, Outside) and held.args and last_name(held) in ("Option", "Result", "Poll"):
        return held.args[0]
    return Opaque("it is no Option or Result")


def item(held: Type, step: str) -> Type:
    """What indexing (`[]`), and a loop or closure (`[v]`), give."""
    through = pointed(held)
    if through is not None:
        return item(through, step)
    if not isinstance(held, Outside) or not held.args:
        return Opaque("it has no items that are known")
    name = last_name(held)
    if name in _MAPS and len(held.args) > 1:
        return held.args[1] if step == "[]" else Tuple(held.args[:2])
    if name in _LISTS or (step == "[v]" and name in ("Option", "Result")):
        return held.args[0]
    return Opaque("it has no items that are known")


def given(held: Outside, name: str) -> Type:
    """What the method gives when it is called."""
    own = last_name(held)
    args = held.args
    if name in ("clone", "to_owned", "borrow", "by_ref") and own not in ("RefCell", "Cow"):
        return held
    if not args:
        return Opaque("what it gives is not known")
    first = args[0]
    found: Type | None = None
    if own in ("Option", "Result"):
        if name in _INNER:
            found = first
        elif name in _SAME_OPTION:
            found = held
        elif name in ("ok_or", "ok_or_else"):
            found = Outside("Result", (first, Opaque("an error")))
        elif name in ("iter", "iter_mut", "into_iter"):
            found = Outside("Iter", (first,))
        elif name == "ok":
            found = option(first)
        elif name in ("unwrap_err", "expect_err") and len(args) > 1:
            found = args[1]
    elif own in _LISTS:
        if name in _ITERATORS:
            found = Outside("Iter", (first,))
        elif name in _ONE:
            found = option(first)
        elif name in _SAME_LIST:
            found = held
        elif name == "enumerate":
            found = Outside("Iter", (Tuple((Outside("usize"), first)),))
        elif name in ("swap_remove", "remove"):
            found = first
    elif own in _MAPS and len(args) > 1:
        found = _of_map(held, name)
    elif own == "Entry" and len(args) > 1 and name.startswith("or_"):
        found = args[1]
    elif own in _CELLS and name in ("lock", "read", "write", "try_lock", "into_inner"):
        found = Outside("Result", (first,))
    elif own == "RefCell" and name in ("borrow", "borrow_mut", "into_inner"):
        found = first
    elif own in ("OnceCell", "OnceLock"):
        found = first if name.startswith("get_or") else option(first) if name == "get" else None
    elif own in POINTERS and name in ("as_ref", "as_mut", "deref", "deref_mut", "into_owned", "to_mut", "into_inner"):
        found = first
    return found if found is not None else Opaque("what it gives is not known")


def _of_map(held: Outside, name: str) -> Type | None:
    key, value = held.args[:2]
    if name in ("get", "get_mut", "remove", "insert"):
        return option(value)
    if name in ("values", "values_mut", "into_values"):
        return Outside("Iter", (value,))
    if name in ("keys", "into_keys"):
        return Outside("Iter", (key,))
    if name in ("iter", "iter_mut", "into_iter", "drain"):
        return Outside("Iter", (Tuple((key, value)),))
    return Outside("Entry", (key, value)) if name == "entry" else None
