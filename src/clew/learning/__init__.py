"""Shared training code: one plain loop, checkpoints without pickle, relational layers, losses.

Kept below the rooms so that every trained method resumes, stops early and reports in the same way. Importing this
package loads no torch; its modules `loop`, `checkpoints`, `layers` and `losses` do.
"""

from clew.learning.stages import TrainingStages

__all__ = ["TrainingStages"]
