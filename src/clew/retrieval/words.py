"""English words that make a poor name: how much it says that a question contains a given word.

Kept apart because it is a table. `linking` uses it to tell the film "What" from the word; the names of the relations of
a graph are added to it there. A question in another language loses this help and nothing else.
"""

from __future__ import annotations

# Words that hold a sentence together, and those that make it a question.
_FUNCTION = """
now mr mrs ms dr sir one two three four five six seven eight nine ten officially currently actually really ever
a about above across after again against all along also although always am among an and any are around as at away be
because been before behind being below beneath beside between beyond both but by can cannot could describe did do
does doing done down during each either else ever every few find for from further get gets give given gives got had
has have having he her here hers herself him himself his how however i if in into is it its itself just know least
let like list ll many may me mention might mine more most much must my myself name named names near neither never no
nor not nothing of off on once one only onto or other others our ours out over own per please rather re s said same
say says several shall she should show since so some something still such t tell than that the their theirs them
themselves then there these they this those through throughout to together too toward towards under until up upon us
very via want was we were what whatever whats when whenever where wheres wherever whether which whichever while who
whoever whom whos whose why will with within without would yes yet you your yours
"""

# Common nouns, verbs and adjectives of questions about the world.
_ORDINARY = """
act acted acting actor actors actress actresses address age album albums amount animal animals answer appear
appeared appears area artist artists attend attended author authored authors award awards band bands based battle
become began begin best big biggest bird birthday birthplace black blue body book books border bordering borders
born brother brothers build building built business buy call called came capital capitals car career cast categories
category cause caused celebrate celebrated center century character characters child children church cities city
class close club clubs coach coached college color colour come comes common community companies company compose
composed composer conference contain contained contains continent continents control cost countries country county
couple couples create created creator culture currencies currency current currently date daughter daughters day days
death deaths deep develop developed developer did die died dies different direct directed director directors
discover discovered district draft drama drug east education elected election end ended enemy english entity era
ethnicity event events exist fall families family famous father female fiction fictional field fight film filmed
films first flag flow follow food football form found founded founder founders friend friends full game games gender
genre genres girl go goes good government governor great green group groups happen happened head held high highest
hire history hit hold holiday home host house human husband idea important include included includes influence
influenced inhabitants inspired invent invented inventor island islands job jobs join joined kid kids kill killed
kind kinds king kingdom known lake land language languages large largest last later lead leader leaders league leave
left letter lie life link live lived lives located location locations long look love made main major make makes
making male man mascot mean means medium member members men mother mothers mountain mountains moved movie movies
music musical nation national nationality nations native neighbor neighbors neighbour neighbours new newest next
night north novel number object occupation office official officials old oldest open opened order organization
organizations origin original parent parents park part party people period person persons place places plan plant
play played player players playing plays point political politics poor popular population position president prime
produce produced producer profession province public publish published queen question quote range ray real region
relate related relation relationship relative release released releases religion religions religious reside right
river rivers role roles rule ruled run runs same school schools screenwriter screenwriters sea season second see
serve served set share shared shares shoot short show sibling siblings sign sister sisters sitcom small son song
songs sons south speak speaks spoke spoken sport sports spouse spouses star starred starring stars start started
state states story structure student studied studio study subject surround symbol system take taken takes talk team
teams term territory theme thing things third time title titled today together topic topics town traded tv type
types universities university use used uses visit voice voiced vote wait wall war wars water way wear west white
wife wild win winner wins wives woman women won word words work worked works world write writer writers writes
writing written wrote year years young youngest zone
"""

FUNCTION, ORDINARY = frozenset(_FUNCTION.split()), frozenset(_ORDINARY.split())


def weight(word: str) -> float:
    """How much a normalised word says about what is meant: near 0 for "the", 1 for a rare name."""
    if word in FUNCTION:
        return 0.04
    if word in ORDINARY:
        return 0.2
    if len(word) == 1:
        return 0.1 if word < "\u0e00" else 0.4  # from here on a character may be a word
    if word.isdigit():
        return 0.4
    return 1.0
