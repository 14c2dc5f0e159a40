"""PHP: autoloading, names, classes and calls.

What is proved is the static target: it presumes that `$this` of a closure is that of the method around it unless the
closure is bound on the spot, that nobody changes variables by reference or through `$$name`, and that a namespace's own
function is loaded where it is called.
"""
