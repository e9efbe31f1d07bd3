"""PartiQL: another grammar for the semantics of the expressions.

A statement is tokenized and parsed (`tokens`, `grammar`, `statements`, cached by its text),
translated with its parameters into the trees of `sortkey.expressions` (`values`, `conditions`,
`updates`, `projections`), and planned on its table (`keys`, `selects`, `changes`). The three
operations differ only in what they do with the plans.
"""
