"""Questions about what happened: kinds whose things are events between others, and what verbs say by them.

`kinds` tells how the kinds of a graph hang together and which of them a verb names, `outcomes` how events may have
come out, `scene` where what a question names belongs. Two ways of reading stand on them:

- readers that each know one form of question. Some go by its words: `took_part` reads what somebody did, `last_time`
  when, `most_often` with what, `in_all` who comes to more than so much, and `sales` what lines come to that state how
  many and the price of one. The others go by what a question speaks of: `came_out` what is late or open, `by_group`
  which group comes first, `in_common` what two have in common, `of_two` which has more, `of_events` what events come
  to, `never_did` what has none, `linked` who or what has to do with what is named (`reading` asks them in order);
- every plan that the question may mean (`candidates`, under the conditions of `cases`), of which a small network tells
  the likeliest by counts and cosines (`asked`, `ranking`); a cross-encoder reads these few beside the question
  (`second_look`), and a regression tells whether one is taken (`choosing`).
"""
