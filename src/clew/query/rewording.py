"""Other wordings of what the grammar of operators reads, put into the plain form that it knows.

"lifts in Oslo, how many" → "how many lifts in Oslo"; "A or B, which one's longer" → "which is longer, A or B". Each
rule holds for any question of its shape. A wording whose meaning is not certain ("around 1972", "this century") has no
rule: it stays as it is and is read as plain.
"""

from __future__ import annotations

import re

from clew.query.asked import UNITS
from clew.query.rewording_values import DATES, DENIED, FIGURES, Rule, rule
from clew.query.vocabulary import DOWN, KNOWN_MEASURES, MEASURES, NUMBERS, PAST, base_of, measures_of, stem
from clew.query.wordnet import is_word

_AUX = r"(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would)"
_WH = r"(?:what|which|who|whom|whose|when|where|why|how)"
_ASKING = rf"(?:{_WH}|{_AUX}|name|list|give|show|tell|find|count)\b"


def only_asked(text: str) -> str:
    """A question without what only asks for it: "please", "in our records"; case is kept."""
    for pattern, put in _ONLY_ASKS:
        text = pattern.sub(put, text)
    return _plainly(text.strip(" ,"))


def reworded(text: str) -> str:
    """A question in the words of the grammar: one line without its final mark; case is kept."""
    text = re.sub(r"(?<=\w)n’t\b", "n't", text)
    for pattern, put in (*_ONLY_ASKS, *_ASIDES):
        text = pattern.sub(put, text)
    text = _plainly(text.strip(" ,"))
    for pattern, put in _RULES:
        text = pattern.sub(put, text)
    return re.sub(r"\s+", " ", text).strip()


# -- what only asks for the question, and asides -----------------------------------------------------------------------

_POLITE = re.compile(
    r"^(?:(?:hey|hi|hello|please|ok(?:ay)?|so|well|and|quick question|question)\b[,:!.]* +"
    r"|(?:(?:can|could|would|will) (?:you|someone|anyone) )?(?:please |kindly |maybe )?"
    r"(?:(?:tell|show|give)(?: (?:me|us))?|say|explain|look up|find out)(?: please)?[,:]? +"
    r"|(?:do|does) (?:you|anyone|anybody|somebody) (?:happen to |by any chance |perhaps )?know,? +"
    r"|(?:i(?:['’]d| would) (?:like|love|need|be (?:curious|interested|keen|glad|happy))|i (?:want|need|have))"
    r" to (?:know|find out|learn|hear),? +"
    r"|i(?:['’]?m| am| was)? ?(?:just )?(?:wonder(?:ing)?|curious)(?: to know)?,? +|any idea,? +|let me know,? +"
    r"|i (?:need|want) (?=the (?:total )?number of)"
    r"|i(?: have|['’]ve(?: got)?)? ?(?:no (?:idea|clue)|don['’]t know|do not know|can['’]t (?:remember|recall|"
    r"tell)),? +"
    r"|(?:my|our) (?:\w+ ){1,3}(?:wants|would like|needs|likes) to (?:know|find out|hear),? +)+"
    r"(?=(?:(?:in|on|at|for|from|by|to|with|of|under) )?(?:how|what|which|who|whom|whose|where|when|whether|if)\b"
    r"|the (?:total )?number of\b|is\b|are\b|does\b|did\b)",
    re.IGNORECASE,
)
_WHETHER = re.compile(
    r"(?:whether|if) (?P<who>.+?) (?P<verb>is|are|was|were|has|have|had|can) (?P<what>.+)$", re.IGNORECASE
)


def _plainly(text: str) -> str:
    """A question without the words that only ask for it: "could you tell me how many …", "do you know whether …"."""
    match = _POLITE.match(text)
    if match is None:
        return text
    text = text[match.end() :]
    whether = _WHETHER.match(text)
    return text if whether is None else f"{whether['verb']} {whether['who']} {whether['what']}"


_ONLY_ASKS: tuple[Rule, ...] = (  # and where the answer is looked for
    rule(
        r"(?<=[a-z]) in (?:our|the|this|my) (?:data|dataset|data set|database|graph|records)"
        r"(?= (?:is|are|was|were|ha))",
        "",
    ),
    rule(r"[,?]? (?:please|pls|plz|thanks|thank you|thx|do you(?: know)?)$", ""),
    rule(
        r",? if (?:it|that|this)(?:'s|’s|s|n't| is| isn't| is not)[^,]*(?:trouble|bother|problem|possible|ask|"
        r"ok(?:ay)?)$",
        "",
    ),
    rule(
        r",? (?:(?:that|which) (?:is|are|we have) )?in (?:the |our |this |my )(?:system|database|data|dataset|graph)$",
        "",
    ),
)
_ASIDES: tuple[Rule, ...] = (
    rule(
        r"(?<!\bnot)(?<!\bnever)(?:,? (?:(?:that|which) (?:is|are|we have) )?(?:still |currently )?(?:on (?:the |our )?"
        r"(?:books|record|records|file)|in (?:the |our |this |my )?(?:system|database|data|dataset|graph))"
        r"| (?:ever|of all time|to date|anywhere|right now|at the moment)| we(?:['’]ve| have)(?: got)?(?: here)?)$",
        "",
    ),
    rule(
        r"\b(?P<no>(?:no|without(?: an?| any)?) [a-z]+(?: [a-z]+)?) (?:being )?"
        r"(?:recorded|listed|given|stated|noted|entered|on record|on file)$",
        r"\g<no>",
    ),
    rule(r"\bhowmany\b", "how many"),
    rule(r"\b(first|last|earliest|latest|most|least|[a-z]+est) of (?:them )?all$", r"\1"),
    rule(
        r"(?<=[a-z] )((?!need|red|bed)[a-z]+ed|won|wrote|made|took|got|sold|bought) no "
        r"(?!later|earlier|more|less|fewer|longer|sooner)(?=[a-z]+\b)",
        r"never \1 any ",
    ),
    rule(r"^(?:is|was) (.+?) (?:better paid|paid more) than (.+)$", r"does \1 earn more than \2"),
    rule(r"^(?:is|was) (.+?) (?:worse paid|paid less) than (.+)$", r"does \1 earn less than \2"),
    rule(
        r"^(?:going|judging) by [^,:]{3,60}[,:] (?=\w)"
        r"|,? (?:going|judging) by (?:the|its|their|what)\b(?! (?:number|amount|count) of)[^,]{3,60}$"
        r"|,? by the (?:dates|figures|data|records) (?:on file|we have)$",
        "",
    ),
    rule(
        r"^(?:what(?:['’]s| is)|how (?:big|large|high) is) the head ?count (?:of|in|at|for) (?P<x>[^,]+?)$",
        r"how many employees are in \g<x>",
    ),
    rule(
        r"\b(?P<has>(?:has|have) (?:been|worked) (?:with|at|for|in) [a-z ]+?),? (?:the )?longest$",
        r"\g<has> for the longest time",
    ),
    rule(
        r" (?:on|in|during|within) (?:a|one|any) (?:single|one) (?:day|match|game|go|session|visit|order|run|trip)$", ""
    ),
    rule(
        r"^(?!.*\b(?:average|mean)\b)(.*?),? (?:counting|adding up|if you add up|summed over|over) all (?:of )?"
        r"(?:(?:the|their|its|his|her|his or her) )?[a-z ]+$",
        r"\1 in total",
    ),
    rule(r"^([a-z]+s) (?=(?!other|rather)\w+er than [^\d]*$)", r"which \1 are "),  # "works taller than the Coopers"
    rule(r"(?<![\d.,-])\d{1,3}(?: \d{3})+(?![.,]?\d)", lambda m: m.group(0).replace(" ", "")),  # "100 000 tonnes"
    rule(r"\b(who|what|which|that|it|he|she|there)['’]s (?=(?:been|got|had)\b)", r"\1 has "),
    rule(
        r"\b(?:is|are|was|were) (?:made up|composed|comprised) of "
        r"(?=(?:more|fewer|less|at least|at most|over|under|up to|exactly|only|\d))",
        "have ",
    ),
    rule(r"\b(what|who|where)s\b(?= (?:the|a|an)\b)", r"\1's"),
    rule(r"\b(is|are|was|were|do|does|did|has|have)nt\b", r"\1n't"),
    rule(r"(?<!total )\b(?:amount|quantity|tally) of (?=[a-z]+s\b)", "number of "),
    rule(r"^(?:(?:can|could|would|will) you )?(?:please |kindly )?(?=(?:show|give|list|find|name)\b)", ""),
    rule(r"^(?:not to|sorry to|i hate to|i do(?:n't| not) (?:want|mean) to) [^,;:]{1,40}?,? but,? ", ""),
    rule(r"^last(?:ly)?,? but not least[,:]? ", ""),
    rule(
        r"^(?:over the years|(?:going|judging) by (?:the|our|your) (?:records?|data|files?|books?|lists?)"
        r"|according to (?:the|our|your) (?:records?|data|files?|books?)),? (?=\w)",
        "",
    ),
    rule(r"(?<=\w) to (?:his|her|its|their) (?:names?|credit)$|(?<=\w)(?:,? as)? yet$", ""),
    rule(r"^(?:lastly|finally|firstly|first of all|first off)[,:] ", ""),
    rule(r"^i (?:really )?(?:can't|cannot) (?:decide|choose|make up my mind)[.,;:!]+ ", ""),
    rule(rf"^(?:i|my|we)\b[^:;?.]*[:;.] (?={_WH}\b)", ""),
    rule(r"^(?:i['’]?m|i am|we['’]?re|we are) (?:just )?(?:looking|searching) for (?:all )?(?:the )?", ""),
    rule(r", i (?:can't|cannot|don't|do not)\b[^,]*(?:remember|recall|know|think of it)$", ""),
    rule(r",? (?:as|so) far as (?:i|we|you) know$| so far$", ""),
    rule(  # what there is is asked for, not whether
        r"^(?:is|are|was|were) there (?:(?:an?|any|some)(?: of the)? )?"
        r"(?P<x>(?!(?:any|some)(?:body|one|thing)\b).+?)[?.,;:]+ *(?:and )?(?:if so,? )?"
        r"(?:(?:which|who|what)(?: ones?)?(?: (?:is|are|was|were) (?:it|they))?|(?:name|list) (?:it|them))\W*$",
        r"which \g<x>",
    ),
    rule(r"(?:[,;?]| -| –| —)+ which(?: one)?$", ""),
    rule(r"^.+?,? (?:i\.e\.|that is|in other words),? (?=(?:which|who|what|how many)\b)", ""),
    rule(
        r"^(?:(?:which|what|who)(?: is| was|['’]s) )?the (?:\w+est|most \w+) (?P<x>[a-z]+(?: [a-z]+)?),? "
        r"(?:i\.e\.|that is|in other words),? the one (?P<rest>[a-z]+ed .+)$",
        r"which \g<x> was \g<rest>",
    ),
    rule(  # "the busiest keeper, I mean the one looking after the most enclosures"
        r"^(?:(?:which|what|who)(?: is| was|['’]s) )?the (?:\w+est|most \w+) (?P<x>[a-z]+(?: [a-z]+)?),? (?:[-–—] ?)?"
        r"(?:(?:i\.e\.|that is|in other words|i mean|meaning),? )?the one "
        r"(?P<how>with|that|who|which|(?P<doing>[a-z]+ing))"
        r"(?P<rest> .*?\b(?:most|fewest|least|\w+est)\b [^,;–—-]+)(?:[ ,;–—-]+(?:who|which|what) .*)?$",
        lambda m: (
            f"which {m['x']} {'is ' if m['doing'] else ''}"
            f"{'has' if m['how'] == 'with' else m['doing'] or ''}{m['rest']}".replace("  ", " ")
        ),
    ),
    rule(r"\bthe (more \w+|less \w+|\w+er) one$", r"\1"),
)


# -- yes or no ---------------------------------------------------------------------------------------------------------

_STATED = "is it true that "
_TAG = (
    r"(?:, (?:correct|right|true|true or false|yes or no|or not)"
    r"|,? (?:is|was|are|were|does|do|did|has|have|ca)n't (?:it|he|she|they)|[,.] is (?:that|it) (?:so|true|"
    r"right|correct))"
)
_TRUTH: tuple[Rule, ...] = (
    rule(r"^(which|what) ([a-z]+)(?: or \2e?s\b|\(e?s\))", r"\1 \2"),  # "which bill or bills"
    rule(rf"^({_AUX}\b.+?),? (?:yes or no|or not)$", r"\1"),
    rule(
        r"^(?:am i|are we) (?:right|correct) (?:(?:in )?(?:thinking|saying|assuming|believing)|to (?:think|say|assume|"
        r"believe))(?: that)? ",
        _STATED,
    ),
    rule(r"^true or false[:,?]* ", _STATED),
    rule(r"^(?:(?:can|could) you )?(?:please )?(?:check|confirm|verify) (?:that|whether|if) ", _STATED),
    rule(
        r"^would it be (?:true|correct|right|fair|accurate) to say(?: that)? |^would you say(?: that)? "
        r"|^is it (?:the case|a fact|so) that ",
        _STATED,
    ),
    rule(
        rf"^(?:(?:so|well|ok(?:ay)?|and),? )?(?!{_ASKING})(?:i (?:heard|read|think|thought|believe|was told)(?: "
        rf"that)? )?"
        rf"(.+?){_TAG}$",
        rf"{_STATED}\1",
    ),
    rule(r"^(is|are|was|were|does|do|did|has|have)n't (?!you\b|we\b|i\b|there\b)(?=\w)", r"\1 "),
    rule(
        r"^(?:is|was) it (?!(?:true|correct|right)\b)(?P<who>(?:(?! or ).)+?) (?:who|that|which) (?P<does>.+)$",
        rf"{_STATED}\g<who> \g<does>",
    ),
    rule(
        r"^(?:is|was|are|were) (?P<who>.+?) (?:one|some) of (?:the )?(?:people|those|ones) (?:who|that) (?P<does>.+)$",
        rf"{_STATED}\g<who> \g<does>",
    ),
    rule(r"^(?:might|may) (?!i\b|we\b)(.+?) be ", r"is \1 "),
    rule(
        rf"^(?!{_ASKING})(?!(?:in|on|at|after|before|when|if)\b)(?P<who>\w[\w'’.&-]*(?: [\w'’.&-]+){{0,4}})[,:] "
        rf"(?P<aux>{_AUX}) (?:it|he|she|they) (?P<what>(?!.*\b{_WH}\b).+)$",
        r"\g<aux> \g<who> \g<what>",
    ),
    rule(rf"^({_AUX}\b.+?) at any (?:point|time)$", r"\1"),
)


# -- counts ------------------------------------------------------------------------------------------------------------

_ALL = r"(?: (?:in all|in total|altogether|overall|all in all))?"
_NUMBER = rf"(?:how many(?: are there| is that)?|(?:the )?(?:total )?(?:number|count)(?: of(?: them)?)?){_ALL}"
_COUNTS: tuple[Rule, ...] = (
    rule(r"^what number of ", "how many "),
    rule(r"^how often (?=(?:has|have|had|did|was|were)\b)", "how many times "),
    rule(
        r"^(?:i (?:need|want|would like) )?(?:an? |the )?(?:head ?count|count|tally) (?:of|for) (?:the )?", "number of "
    ),
    rule(rf"^(?:of|among|out of) (?:all )?(?:the )?([^,]+), how many (?:are there|exist){_ALL}$", r"how many \1"),
    rule(
        rf"^((?:in|at|on|within|for) (?!each\b|every\b)[^,]+), how many ([^,]+?) are there{_ALL}$",
        lambda m: f"how many {m[2]} are there {_inside(m[1])}",
    ),
    rule(
        r"^(?:of|among|out of) (?:all )?(?:the )?([^,]+), how many (?=(?:are|were|have|do|did|\w+ed)\b)",
        r"how many \1 ",
    ),
    rule(rf"^(?!{_ASKING})([^,:]+?)(?:,|:| -| –) {_NUMBER}$", r"how many \1"),
    rule(rf"^(?!{_ASKING})((?:(?! (?:{_AUX}) )[^,:])+?)(?:,|:| -| –) how many (\w+(?: \w+)?)$", r"how many \2 of \1"),
    rule(rf"^(?!{_ASKING})([a-z]+s \w+ .*?)(?<!page)(?<!word)(?<!head)(?<!the)(?<!to) count$", r"how many \1"),
    rule(
        rf"^(?!{_ASKING}|i\b|we\b)(?P<x>[^,:]+? [^,:]+?)(?P<prep> (?:in|on|at|for|from|by|to|with|of|through)"
        rf")?(?<!total of)(?<!between)(?<!than)(?<!least)(?<!most)(?<! is)(?<! are)(?<! was) how many "
        rf"(?P<y>(?!(?:{UNITS}|ms|months?|points)\b)[a-z]+(?: [a-z]+)?)$",
        lambda m: f"{m['prep'] or ''} how many {m['y']} {_inside(m['x'])}".strip(),
    ),
)


def _inside(words: str) -> str:
    """Words that began a question, inside one: "In our office" → "in our office"."""
    return re.sub(r"^(?:The|A|An|In|At|On|For|Within)\b", lambda m: m.group(0).lower(), words)


# -- superlatives ------------------------------------------------------------------------------------------------------

_COUNTING = rf"(?:\d|(?:{'|'.join(n for n in NUMBERS if len(n) > 2)})\b)"
_BY = {
    "grossing": "gross", "earning": "earnings", "scoring": "score", "rated": "rating", "selling": "sales",
    "ranked": "rank", "reviewed": "review", "attended": "attendance", "visited": "visitors", "viewed": "views",
    "played": "plays", "cited": "citations", "ranking": "rank", "grading": "grade", "yielding": "yield",
    "funded": "funding",
}  # fmt: skip
_END = {"lowest": "lowest", "worst": "lowest", "least": "lowest"}
_EST = r"\w+est|best|worst|first|last|latest"
_NAMED_BY = r",? (?:going by|measured by|as measured by|judged by|judging by|based on|according to|in terms of|in|by)"
_MADE = "born|founded|built|opened|published|made|released|established|launched|written|formed"
_SUPERLATIVES: tuple[Rule, ...] = (
    rule(
        r"\b(?:reach(?:ed|es)|attained|lived to) the (?:greatest|highest|most advanced|oldest) age\b",
        "lived the longest",
    ),
    rule(r"\b(?:reach(?:ed|es)|attained|lived to) the (?:lowest|youngest|smallest) age\b", "lived the shortest"),
    rule(r"^who (?:among|amongst|of|out of)(?: all)? (?:the|our|these) (?=[a-z]+s\b)", "which "),
    rule(r"^(?P<x>.*\b\w+est\b.*?),? (?P<by>[a-z]+(?: [a-z]+)?)[- ]wise$", r"\g<x> by \g<by>"),
    rule(  # the figure is said: "most experienced pilot by flight hours", "the most complex (highest weight)"
        rf"\b(?:the )?(?P<est>most|least) (?P<adj>[a-z]+) (?P<x>[a-z]+(?: [a-z]+)?){_NAMED_BY} "
        r"(?P<by>(?!the |an? )[a-z ]+)$",
        lambda m: m.group(0) if measures_of(m["adj"]) else _highest(m["x"], m["est"], m["by"]),
    ),
    rule(  # "the busiest pilot, by number of jobs flown"
        rf"^(?:(?:who|which|what)(?: is| are| was| were|['’]s) )?(?:the )?(?P<est>[a-z]+est|best|worst) "
        rf"(?P<x>[a-z]+(?: [a-z]+)?){_NAMED_BY} (?:the |its |their )?(?:total )?(?:number|amount|count) of "
        r"(?P<noun>.+)$",
        lambda m: f"which {m['x']} has the {'fewest' if base_of(m['est']) in DOWN else 'most'} {m['noun']}",
    ),
    rule(  # "which agent keeps us busiest, judging by the number of applications"
        rf"^(?P<x>(?:which|what|who)\b[^,]*?)(?: keeps? us| kept us| is| was| are| were)? (?:the )?"
        rf"(?P<est>[a-z]+est|best|worst){_NAMED_BY} (?:the |its |their )?(?:total )?(?:number|amount|count) of "
        r"(?P<noun>.+)$",
        lambda m: f"{m['x']} has the {'fewest' if base_of(m['est']) in DOWN else 'most'} {m['noun']}",
    ),
    rule(  # all there are
        r"^(?P<x>.*\b(?:\w+est|most|first|last)\b.*?),? (?:across|among|amongst|out of) all (?:of )?"
        r"(?:the |our )?[a-z]+$",
        r"\g<x>",
    ),
    rule(  # "the second biggest employer of all the companies"
        rf"\b(?P<est>{_EST}) [a-z]+ of all (?:the |our )?(?P<x>(?-i:[a-z]+s))\b",
        lambda m: f"{m['est']} {m['x']}" if _known(m["est"]) else m.group(0),
    ),
    rule(
        r"^(?:which|what) (?P<x>[a-z]+(?: [a-z]+)?) (?:is|are|was|were) .+ \((?P<by>(?:highest|lowest|largest|smallest"
        r"|longest|shortest|most|fewest) [a-z ]+)\)$",
        r"which \g<x> has the \g<by>",
    ),
    rule(
        rf"^who (?P<be>is|was) the (?P<est>earliest|first|latest|last)[- ](?P<made>{_MADE}) (?P<x>[a-z]+)$",
        lambda m: f"which {m['x']} was {m['made']} {'first' if m['est'].lower() in ('earliest', 'first') else 'last'}",
    ),
    rule(r"\b(highest|lowest)-lying\b", r"\1"),
    rule(r"\b(highest|lowest|higher|lower) above (?:mean )?sea[ -]level\b", r"\1"),
    rule(  # "the most expensive job we ever billed"
        rf"(?P<x>\b(?:{_EST}|most \w+|least \w+)\b .*?\w),? "
        r"(?:(?:that |which )?(?:we|they|you|anybody|anyone)(?:['’]ve| have)? (?:ever )?[a-z]+(?:ed|ld|ught|id|ade)"
        r"|(?:that |which )?(?:has |have |was |were )?ever (?:been )?"
        r"(?:made|done|recorded|seen|known|listed|registered|billed|logged)|on (?:record|file)|of all(?: time)?)$",
        r"\g<x>",
    ),
    rule(r"\b(?P<est>most \w+|\w+est) single (?=[a-z])", r"\g<est> "),
    rule(
        rf"\b(?:the )?(?P<est>highest|lowest|top|best|worst|most|least)[- ](?P<by>{'|'.join(_BY)}) "
        r"(?P<x>\w.*?)(?: of all(?: time)?)?$",
        lambda m: f"{m['x']} with the {_END.get(m['est'].lower(), 'highest')} {_BY[m['by'].lower()]}",
    ),
    rule(r"\beldest (?=[a-z])", "oldest ", 0),
    rule(
        r"^(?:what|which|who)(?:['’]s| is| was) the (?P<est>\w+est|most \w+) (?P<noun>[a-z]+(?: [a-z]+)?)"
        r"(?:,| -| –| —|:|\?) ?(?:and )?(?:which|what|who) (?P<x>[a-z]+)(?: (?:is|was) (?:it|that))?$",
        r"which \g<x> has the \g<est> \g<noun>",
    ),
    rule(r"\b(?:the |a )?record number of\b", "the most"),
    rule(r"\bthe most of (?:our|the|their|its|my) (?=[a-z]+s\b)", "the most "),
    rule(r"\b(has|have|had|with|having) (?:the |a )?maximum number of\b", r"\1 the most"),
    rule(r"\b(has|have|had|with|having) (?:the |a )?minimum number of\b", r"\1 the fewest"),
    rule(r"\b(?:the )?(?:best|highest|top)[- ]paid (\w.*)$", r"\1 with the highest salary"),
    rule(r"\b(?:the )?(?:worst|lowest|least)[- ]paid (\w.*)$", r"\1 with the lowest salary"),
    rule(
        r"\bmore ([a-z]+) than (?:any(?:one|body|thing)? (?:else|other(?: \w+)?)|all (?:the )?others)$", r"the most \1"
    ),
    rule(  # "saw first light before all the others"
        r",? (?P<when>before|after|earlier than|later than) (?:(?:all|any) (?:of )?(?:the )?others?"
        r"|(?:any|every)(?:one|body|thing) else)$",
        lambda m: " first" if m["when"].lower() in ("before", "earlier than") else " last",
    ),
    rule(r"\bmore of the ([a-z]+) than (?:any(?: of the)?|all(?: of)? the) others?$", r"the most \1"),
    rule(r"\bthe (\w+) with the (?=(?:most|fewest|least) (?!of\b))", r"the \1 having the "),
    rule(
        rf"^(?P<is>(?:(?:what|which|who) (?:is|are|was|were) )?)the (?P<est>{_EST})(?: one)? of (?:all )?"
        rf"(?:the|these|those) (?!{_COUNTING})(?=\w)",
        lambda m: f"{m['is']}the {m['est']} " if _known(m["est"]) else m.group(0),
    ),
    rule(
        rf"^(?P<x>(?!{_ASKING})[^,:]+)[,:] (?:just |only )?(?:the )?(?P<est>{_EST})(?: one| of them)?$",
        lambda m: f"the {m['est']} {m['x']}" if _known(m["est"]) else m.group(0),
    ),
    rule(
        rf"^(?:(?:among|of|out of) )?(?:all )?(?:the )?(?P<x>(?!{_ASKING})[^,:]+), the one (?P<that>that|which|"
        rf"who|with) "
        rf"(?=.*\b(?:most|fewest|{_EST})\b)",
        r"\g<x> \g<that> ",
    ),
    rule(
        rf"^(?:among|of|out of) (?:all )?(?:the )?(?P<x>(?!two\b)[^,:]+), (?:who|which|what)(?: one)? "
        rf"(?=.*\b(?:most|fewest|number of|{_EST})\b)",
        lambda m: m.group(0) if " and " in m["x"] else f"which {m['x']} ",
    ),
)


def _highest(what: str, est: str, figure: str) -> str:
    return f"{what} with the {'highest' if est.lower() == 'most' else 'lowest'} {figure}"


def _known(adjective: str) -> bool:
    return bool(base_of(adjective)) or adjective.lower() in ("first", "last")


# -- what is asked for at the end --------------------------------------------------------------------------------------

_LAST_ASKED = re.compile(  # "claim C-711 concerns what make of car"
    rf"^(?!{_ASKING})(?P<x>(?:(?!\b(?:{_WH}|that)\b)[^,:;?])*?(?-i:[A-Z\d])(?:(?!\b(?:{_WH}|that)\b)[^,:;?])*?) "
    r"(?P<verb>(?-i:[a-z]+(?:s|ed)|" + "|".join(PAST) + r"))(?P<prep> (?:in|on|at|to|for|from|by|with|of))? "
    rf"(?P<ask>(?:how (?:many|much)|what|which) (?!.*\b{_AUX}\b)[^,;?]+)$",
    re.IGNORECASE,
)
_AS_IT_IS = frozenset(["is", "was", "has", "does", "as", "its", "this", "his", "needs"])


def asked_first(text: str) -> str:
    """A question whose last words say what is asked for, with these first; any other as it is."""
    match = _LAST_ASKED.match(text.strip().rstrip("?!. "))
    return text if match is None else _fronted(match)


def _fronted(match: re.Match[str]) -> str:
    verb, prep = match["verb"], match["prep"] or ""
    if verb in ("is", "was"):
        return f"{match['ask']} {verb} {match['x']}{prep}"
    if verb in ("has", "had"):
        return f"{match['ask']} does {match['x']} have{prep}"
    if verb in _AS_IT_IS:
        return match.string
    past = verb in PAST or verb.endswith("ed")
    base = PAST.get(verb) or next(
        filter(is_word, (verb[:-1], verb[:-2], verb[:-3])) if past else iter((stem(verb),)), verb
    )
    what, _, behind = match["ask"].partition(" from ")  # "how many days … from being opened to being closed"
    behind = f" from {behind}" if behind else ""
    return f"{what} {'did' if past else 'does'} {match['x']} {base}{prep}{behind}"


# -- two against each other --------------------------------------------------------------------------------------------

_ADJ = r"(?:more \w+|less \w+|\w+er|better|worse)"
_PAIR = r"(?:the )?(?P<a>[^,:;]+?),? (?:or|vs\.?|versus) (?:the )?(?P<b>[^,:;]+?)"
_AND = r"(?:the )?(?P<a>[^,:;]+?) (?:and|or) (?:the )?(?P<b>[^,:;]+?)"
_SEP = r"(?:,|:|;| -| –)"
_WHICH = r"(?:which|who|what)(?:ever)?(?: one| of (?:the two|them|these|those))?"


def _choice(match: re.Match[str]) -> str:
    """ "which is longer, A or B" of a match with `a`, `b` and `ask`; the match itself where nothing is compared."""
    return _asked(match["ask"], match["a"], match["b"]) or match.group(0)


def _asked(ask: str, a: str, b: str) -> str:
    """ "which is longer, A or B"; nothing where nothing is compared."""
    ask = re.sub(r"^(?:(?:and|so) )?(?:tell me |give me |name |say )?", "", ask, flags=re.IGNORECASE)
    ask = re.sub(r" (?:of (?:the two|them|these)|one|ones)$", "", ask, flags=re.IGNORECASE)
    ask = re.sub(
        rf"^{_WHICH}(?:['’]s\b|(?= ))",
        lambda m: "which is" if m.group(0)[-2:] in ("'s", "’s") else "which",
        ask,
        flags=re.I,
    )
    noun = re.fullmatch(rf"(?:which (?:is|was|are|were) )?(?:the )?(?P<adj>{_ADJ})(?: (?P<noun>[a-z]+))?", ask, re.I)
    if noun is not None:
        if not _compares(noun["adj"]) or (noun["noun"] and " " in noun["adj"]):
            return ""
        asked = f"which is the {noun['adj']} {noun['noun']}" if noun["noun"] else f"which is {noun['adj']}"
        return f"{asked}, {a.strip()} or {b.strip()}"
    if not ask.lower().startswith("which ") or re.search(r"\b(?:died|lived) (?:young|old)er\b", ask, re.IGNORECASE):
        return ""  # who died younger is a matter of two dates each
    words = re.findall(r"\w+", ask.lower())
    if not any(w in ("more", "fewer", "less", "first", "last") or (w.endswith("er") and base_of(w)) for w in words):
        return ""
    return f"{ask}, {a.strip()} or {b.strip()}"


def _compares(adjective: str) -> bool:
    words = adjective.lower().split()
    return bool(base_of(words[-1])) or (len(words) > 1 and words[-1] in MEASURES)


def _named(match: re.Match[str]) -> str:
    """As `_choice`, where both sides are names: "which of Tyrol and Telemark", not "of the red and blue lines"."""
    return _choice(match) if _names(match["a"], match["b"], match.string) else match.group(0)


def _names(a: str, b: str, around: str) -> bool:
    """Whether two sides are names: capitalised, or single words where nothing around them is."""
    lower = around == around.lower() and " " not in a + b
    return lower or (a[:1].isupper() and b[:1].isupper())


_CHOICES: tuple[Rule, ...] = (
    rule(r"\bsets? (?:you|us|me|one|somebody) back\b", "costs"),
    rule(
        r"^((?:which|who|what)\b[^,:]*?\w) (?:us|you|me|them) (?=(?:the )?(?:more|less|fewer|most|least)\b)",
        r"\1 ",
    ),
    rule(r"\bmore recently\b", "later"),
    rule(r"\b(cheaper|cheapest) to (?:buy|get|purchase)\b", r"\1"),
    rule(r"\ba (?:higher|larger|greater|bigger) number of\b", "more"),
    rule(r"\ba (?:lower|smaller) number of\b", "fewer"),
    rule(
        rf"^(?:{_STATED})?(?P<a>.+?) (?:is|was|are|were) (?P<ask>\w+er) than (?P<b>.+?),? or (?:is it )?"
        r"(?:the other way (?:a)?round|vice versa)$",
        _choice,
    ),
    rule(rf"^{_STATED}(.+?) (is|was|are|were) (?=.* than )", r"\2 \1 "),
    rule(rf"^{_STATED}(.+?) (?:has|have|had) (?=(?:more|less|fewer) .* than )", r"does \1 have "),
    rule(
        r"^(?:did|does) (?P<a>.+?) (?P<v>\w+) (?P<w>before|after) (?P<b>.+?),? or (?:did |does )?(?P=b) (?P=v) "
        r"(?P=w) (?P=a)$",
        lambda m: f"which {m['v']} {'first' if m['w'].lower() == 'before' else 'last'}, {m['a']} or {m['b']}",
    ),
    rule(
        r"^(?:is|was) it (?P<a>.+?) or (?P<b>.+?) (?:that|who|which) (?P<ask>.+)$",
        lambda m: f"which {m['ask']}, {m['a']} or {m['b']}",
    ),
    rule(
        r"^are there (more|fewer) ([a-z]+(?: [a-z]+)?) ((?:at|in|on) )([^,]+?) or (?:\3)?([^,]+)$",
        r"which has \1 \2, \4 or \5",
    ),
    rule(r"^((?:which|who|what) [^,:]+): (?=.+ or )", r"\1, "),
    rule(r"^(which|who) of (?:these|those|them|the two(?: (?!(?:is|was|has|does)\b)\w+s)?) (?=.* or )", r"\1 "),
    rule(
        rf"^(?:between |of |out of )?{_PAIR}{_SEP} (?P<ask>(?:and |so )?(?:tell me |name )?(?:{_WHICH}\b|the "
        rf"|{_ADJ}).*)$",
        _choice,
    ),
    rule(rf"^{_PAIR} - (?P<ask>(?:the )?{_ADJ}(?: \w+)?)$", _choice),
    rule(rf"^(?:between|of|out of) {_AND}{_SEP} (?P<ask>(?:{_WHICH}\b|the ).+)$", _named),
    rule(rf"^{_AND}{_SEP} (?P<ask>(?:tell me |name |give me )?(?:{_WHICH}\b|the |{_ADJ}).*)$", _named),
    rule(
        rf"^(?:the )?(?P<a>[^,:;]+), (?:the )?(?P<b>[^,:;]+?)(?::|;| -| –) (?P<ask>(?:{_WHICH}\b|the |{_ADJ}).*)$",
        _choice,
    ),
    rule(
        rf"^(?:which|who)(?: one)? of {_AND} (?P<ask>(?:is|was|has|have|had|does|did|\w+ed)\b.+)$",
        lambda m: _named_ask(m),
    ),
    rule(rf"^(?P<ask>(?:which|who|what) [^,:]+?) (?:out of|of|between|from among) {_AND}$", _named),
    rule(rf"^(?:the )?(?P<ask>{_ADJ}(?: [a-z]+)?){_SEP} {_PAIR}$", _choice),
    rule(
        r"^(?P<ask>(?-i:[a-z]+er)(?: (?-i:[a-z]+))?) (?P<a>(?-i:[A-Z])[^,:]*|\w+) (?:vs\.?|versus|or) (?P<b>[^,:]+)$",
        _choice,
    ),
    rule(r"^((?:who|which) [\w ]+? (?:earlier|later|first|sooner)) (\w+) or (\w+)$", r"\1, \2 or \3"),
)


def _named_ask(match: re.Match[str]) -> str:
    """As `_named`, of "which of A and B is …": what is asked stands after the sides."""
    a, b, ask = match["a"], match["b"], match["ask"]
    return (_asked(f"which {ask}", a, b) if _names(a, b, f"{a}{b}{ask}") else "") or match.group(0)


# -- sums, means, differences ------------------------------------------------------------------------------------------

_ON_AVERAGE = r"on (?:the )?average"
_COMBINED = r",? (?:(?:taken |put )?together|altogether|in total|combined|(?:all )?added up|summed up)"


def _measured(match: re.Match[str]) -> str:
    measures = MEASURES.get(match["adj"].lower())
    return f"the average {measures[0]} of {match['x']}" if measures else match.group(0)


def _gap(match: re.Match[str]) -> str:
    noun = match["noun"].lower()
    return f"what is the difference in {noun} between {match['pair']}" if noun in KNOWN_MEASURES else match.group(0)


def _together(match: re.Match[str]) -> str:
    """A total, not what several share: "population of A and B together", but "films of A and B together"."""
    shared = re.search(r" together$", match.group(0)) is not None and match["noun"].lower() not in KNOWN_MEASURES
    related = re.search(r"\b(?:that|which|who|whose|most|least|\w+est)\b", match["x"], re.IGNORECASE)
    return match.group(0) if shared or related else f"the total {match['noun']} of {match['x']}"


_SUMS: tuple[Rule, ...] = (
    rule(
        r"^how much(?: money| cash)?(?:,? in [a-z]+,?)? (?:is|was|are|were) (?:still |yet )?"
        r"(?:owed|owing|due|outstanding|billed|charged|invoiced)(?: to us)? (?:on|for|in|by) (?:all )?(?:the |our )?"
        r"(?=[a-z]+s\b)",
        "what is the total amount of the ",
    ),
    rule(
        r"^how (?:many|much) (?P<noun>[a-z]+) (?:do|does|did) (?:the )?(?P<x>.+?) (?:all )?"
        r"(?:add up|amount|come|sum up|total up) to(?: in total| altogether)?$",
        r"what is the total \g<noun> of \g<x>",
    ),
    rule(
        rf"^{_ON_AVERAGE},? how many ([a-z]+) (?:does|do|has|have) (?:an? |the |each )?(.+?)(?: have| has)?$",
        r"the average \1 of \2",
    ),
    rule(
        rf"^how many ([a-z]+) (?:does|do|has|have) (?:an? |the |each )?(.+?)(?: have| has)? {_ON_AVERAGE}$",
        r"the average \1 of \2",
    ),
    rule(rf"^{_ON_AVERAGE},? how (?P<adj>\w+) (?:is|are|was|were) (?:an? |the )?(?P<x>.+)$", _measured),
    rule(rf"^how (?P<adj>\w+) (?:is|are|was|were) (?:an? |the )?(?P<x>.+?),? {_ON_AVERAGE}$", _measured),
    rule(
        rf"^(?:{_ON_AVERAGE},? )?how much (?:does|do|did) (?:an? |the )?(?P<x>.+?) (?P<verb>cost|earn|weigh)"
        rf"(?P<end> {_ON_AVERAGE})?$",
        lambda m: f"the average {m['verb']} of {m['x']}" if "average" in m.group(0).lower() else m.group(0),
    ),
    rule(
        r"^(the )?average ([a-z]+) (?!(?:of|for|in|across|that|per|by|at|on|from)\b)(?=\w)",
        lambda m: f"the average {m[2]} of " if m[2].lower() in KNOWN_MEASURES else m.group(0),
    ),
    rule(
        rf"^(?:(?:what is|what's|what are) )?(?:the )?(?P<noun>(?!number\b|count\b|total\b)[a-z]+) (?:of|in|for)"
        rf" (?:the )?"
        rf"(?P<x>[^,]+?){_COMBINED}(?:, all .+)?$",
        _together,
    ),
    rule(
        r"^(?:taken |put )?together,? (?:what|which|how much) ([a-z]+) (?:do|does|did) (?:the )?(.+?) (?:have|"
        r"cover|hold|span|make)$",
        r"what is the total \1 of \2",
    ),
    rule(
        r"^(?:what is |what's )?(?:the )?(?P<noun>[a-z]+) (?:gap|difference) between (?P<pair>.+?)(?:, in \w+)?$", _gap
    ),
    rule(r"^(how much \w+er (?:is|are|was|were) .+?),? (?:as )?compared (?:with|to) ", r"\1 than "),
    rule(r"^(how much \w+er) (?:would|will) (.+?) be than ", r"\1 is \2 than "),
    rule(r"^by how much (is|are|was|were) (.+?) (\w+er) than ", r"how much \3 \1 \2 than "),
    rule(
        r"^how many years after (?P<a>.+?) (?:did|was|were) (?P<b>.+?) (?P<verb>[a-z]+)$",
        r"what is the difference in \g<verb> year between \g<b> and \g<a>",
    ),
    rule(
        r"^how many years before (?P<a>.+?) (?:did|was|were) (?P<b>.+?) (?P<verb>[a-z]+)$",
        r"what is the difference in \g<verb> year between \g<a> and \g<b>",
    ),
    rule(
        r"^how many years (?:lie|are there|passed|went by|elapsed|are) between (?:the )?(?P<verb>[a-z]+) of "
        r"(?P<a>.+?) and "
        r"(?:that|the (?P=verb)) of (?P<b>.+)$",
        r"what is the difference in \g<verb> year between \g<a> and \g<b>",
    ),
)

_RULES = (*_TRUTH, *_CHOICES, *_COUNTS, *_SUPERLATIVES, *DATES, *FIGURES, *DENIED, *_SUMS)
