"""Questions about what happened: kinds whose things are events between others, and what verbs say by them.

`kinds` tells how the kinds of a graph hang together and which of them a verb names; `took_part` reads what somebody
did, `last_time` when, `most_often` with what, `in_all` who comes to more than so much, and `sales` what lines come to
that state how many and the price of one.
"""
