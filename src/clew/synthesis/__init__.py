"""Questions made from a graph alone: training data for a graph nobody labelled."""
