"""Language models: remote and local backends behind one seam, with budgets, cache, prompts and the one reply parser."""
