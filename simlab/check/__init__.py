"""Reading, checking, explaining and repairing saved conversations."""
