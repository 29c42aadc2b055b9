"""Questions made from a graph alone: training data for a graph nobody labelled."""

from clew.synthesis.questions import SynthesisReport, Synthetic, synthesize
from clew.synthesis.structures import Sampler, SamplingConfig, Structure
from clew.synthesis.writer import Writer

__all__ = ["Sampler", "SamplingConfig", "Structure", "SynthesisReport", "Synthetic", "Writer", "synthesize"]
