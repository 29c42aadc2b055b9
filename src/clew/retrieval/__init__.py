"""From a question to the part of the graph that matters: topics, similarity, evidence as text."""
