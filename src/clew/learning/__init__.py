"""Training code that more than one room uses: relational layers, losses, the loop, checkpoints."""
