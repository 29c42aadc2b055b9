"""Shared training code: what surrounds every training, one plain loop, checkpoints without pickle, layers, losses.

Kept below the rooms so that every trained method resumes, stops early and reports in the same way. Importing this
package loads no torch; its modules `loop`, `checkpoints`, `layers` and `losses` do.
"""
