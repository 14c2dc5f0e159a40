"""Names that every Python has: builtins and the modules of the standard library, whatever Python runs this.

The lists are those of 3.11 and 3.13 together, with the builtins of Python 2 that its grammar still reads.
"""

from __future__ import annotations

BUILTINS = frozenset(
    """
    ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError
    BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError
    ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception
    ExceptionGroup False FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError
    ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError
    KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError None NotADirectoryError NotImplemented
    NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError ProcessLookupError
    PythonFinalizationError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning
    StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError True
    TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError
    UnicodeWarning UserWarning ValueError Warning WindowsError ZeroDivisionError _IncompleteInputError
    __build_class__ __debug__ __doc__ __file__ __import__ __loader__ __name__ __package__ __spec__ abs aiter all
    anext any ascii basestring bin bool breakpoint bytearray bytes callable chr classmethod cmp compile complex
    delattr dict dir divmod enumerate eval exec execfile exit file filter float format frozenset getattr globals
    hasattr hash help hex id input int isinstance issubclass iter len list locals long map max memoryview min next
    object oct open ord pow print property quit range raw_input reduce reload repr reversed round set setattr slice
    sorted staticmethod str sum super tuple type unichr unicode vars xrange zip
    """.split()
)

MODULES = frozenset(
    """
    __future__ _thread abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb
    binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys
    compileall concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses
    datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl
    filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp
    gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json
    keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib
    msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev
    pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty
    pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter
    runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver
    spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau
    symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit
    tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata
    unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp
    zipfile zipimport zlib zoneinfo
    """.split()
)

# Decorators after which a call of the name still runs the body that stands there.
TRANSPARENT = frozenset(
    """
    builtins.staticmethod builtins.classmethod abc.abstractmethod abc.abstractclassmethod abc.abstractstaticmethod
    functools.lru_cache functools.lru_cache() functools.cache functools.wraps() functools.total_ordering
    contextlib.contextmanager contextlib.asynccontextmanager typing.final typing.override typing.overload
    typing.no_type_check typing.runtime_checkable typing_extensions.final typing_extensions.override
    typing_extensions.overload typing_extensions.runtime_checkable typing_extensions.deprecated()
    warnings.deprecated() dataclasses.dataclass dataclasses.dataclass() enum.unique typing.dataclass_transform()
    typing_extensions.dataclass_transform()
    """.split()
)

# Decorators that make an attribute of a method: reading it gives the method's result.
PROPERTIES = frozenset("builtins.property functools.cached_property abc.abstractproperty".split())

# External bases that give no name to what descends from them that a call could mean.
EMPTY_BASES = frozenset(
    """
    builtins.object abc.ABC typing.Generic typing.Generic[] typing.Protocol typing.Protocol[]
    typing_extensions.Protocol typing_extensions.Protocol[] typing_extensions.Generic
    """.split()
)
