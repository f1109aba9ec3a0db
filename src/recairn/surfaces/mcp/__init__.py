"""The Model Context Protocol: what agents see of recairn.

`server.Connection.handle(message)` is the whole protocol, whatever carries the messages; `stdio`
carries them over standard input and output. Nothing here imports the engine before the first call
that needs it: an agent's first turn waits for the list of tools.
"""
