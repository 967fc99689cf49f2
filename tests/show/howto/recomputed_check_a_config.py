"""The explorer of the how-to on configs: the ladders of the chapter, by the same other path."""

from tests.show.family import recomputed_context_extension as chapter

RECOMPUTED = {"fig:check:paste": chapter.RECOMPUTED["fig:context:try"]}
