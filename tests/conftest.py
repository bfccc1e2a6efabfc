"""What all tests share: the profile of Hypothesis."""

from simlab.testing.profiles import load_profile

load_profile()
