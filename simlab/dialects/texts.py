"""Repair lines that several dialects share."""

CLOSE = (
    "Close the call with a result that says what is known "
    "(not started, cancelled, or 'unknown whether it took effect'); do not drop it."
)
DROP_ORPHAN = "Put the call back in front of it, or drop the result and tell the model in a user message what it said."
ONE_RESULT = "Keep one result for the call: the real one rather than the placeholder."
OWN_IDS = "Give each call an id of its own and use the same id in its result."
MOVE_BEHIND = "Move the message behind the last result of the calls before it."
WAIT = "Nothing to repair in a recording; before sending, add the results or close the calls."
OBJECT = "Store each message as a JSON object in the provider's shape; drop what cannot be read."
WHOLE_ARGUMENTS = "Drop a call whose arguments were cut off, or store the arguments that were really executed."
NO_EMPTY = "Leave the empty message out, or store what the model had said when it was interrupted."
