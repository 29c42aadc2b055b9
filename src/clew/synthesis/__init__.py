"""Questions made from a graph alone: training data for a graph nobody labelled."""

from clew.synthesis.questions import SynthesisReport, Synthetic, synthesize
from clew.synthesis.structures import SamplingConfig, Structure, StructureSampler
from clew.synthesis.writer import Writer

__all__ = ["SamplingConfig", "Structure", "StructureSampler", "SynthesisReport", "Synthetic", "Writer", "synthesize"]
