"""What holds for every test: none fails for having taken long, since a busy machine stops any of them for a while."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
