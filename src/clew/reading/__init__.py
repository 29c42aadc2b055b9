"""What a question asks of a graph: plan candidates grown from its topics, and a small network that reads them.

A layer between the methods and what they share. `growth` proposes plans, `wording` says them in words, `network`
scores how well each says what the question asks. The network is trained over many graphs (`python -m
clew.reading.train`) and ships with clew; answering with it needs numpy alone.
"""
