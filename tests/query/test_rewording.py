"""Wordings that are put into the form that the grammar of operators reads, and those that are left alone."""

import pytest

from clew.query import plan as p
from clew.query.question import read_question
from clew.query.rewording import reworded


@pytest.mark.parametrize(
    ("text", "kind", "rest"),
    [
        # counts
        ("bridges in Lund, how many", "count", "which bridges in Lund"),
        ("lund - how many bridges?", "count", "which bridges of lund"),
        ("bridges in Lund: total number please", "count", "which bridges in Lund"),
        ("The choir performs in how many towns?", "count", "in which towns the choir performs"),
        ("Of the books by Ann, how many are there?", "count", "which books by Ann"),
        ("what number of ferries serve Lund", "count", "which ferries serve Lund"),
        # superlatives
        ("towers in Lund, the oldest one", "superlative", "towers in Lund"),
        ("Among the towers of Lund, the one that closed last", "superlative", "towers of Lund that closed"),
        ("the tallest of the old towers in Lund", "superlative", "old towers in Lund"),
        ("the club with the most members", "superlative", "the club"),
        ("which bill or bills attracted the most co-sponsors", "superlative", "which bill"),
        ("who chairs the most recently created board", "superlative", "who chairs board"),
        ("which ward covers the largest area", "superlative", "which ward"),
        ("which town is highest above sea level", "superlative", "which town is"),
        ("what is the most expensive job we ever billed", "superlative", "what is job"),
        ("who runs the farm at the highest elevation", "superlative", "who runs the farm"),
        ("which town the port with the fewest annual passengers is in", "superlative", "which town the port is in"),
        ("best-paid trainer of Lund", "superlative", "trainer of Lund"),
        ("who is the busiest pilot, by number of trips flown?", "superlative", "which pilot"),
        ("second biggest employer of all the firms, judging by headcount", "ordinal", "firms"),
        ("strongest cider in terms of alcohol", "superlative", "cider"),
        ("Who is the busiest keeper, I mean the one with the most cages?", "superlative", "which keeper"),
        ("whose shelf is fullest, i.e. which rider has taken the most wins?", "superlative", "which rider has"),
        ("oldest horse across all the stables", "superlative", "horse"),
        ("what grape turns up in more of the wines than any other?", "superlative", "what grape turns"),
        ("who was last to join the choir", "superlative", "who join the choir"),
        ("which press was the third to be set up", "ordinal", "which press founded"),
        ("the latest probe to be launched", "superlative", "probe to be launched"),
        ("jobs ordered by Ann Lee that used glue", "plain", "jobs ordered by Ann Lee that used glue"),
        # dates
        ("songs released in the nineties", "date filter", "songs released"),
        ("songs that came out from 1960 onwards", "date filter", "songs that came out"),
        ("songs released 1985 to 1990", "date filter", "songs released"),
        ("songs of the seventeenth century", "date filter", "songs"),
        ("songs by Ann, at latest 1970", "date filter", "songs by Ann"),
        ("staff hired in the last quarter of 2022", "date filter", "staff hired"),
        ("permits that had run out before 2025 began", "date filter", "permits that expired"),
        # numbers
        ("towns, 60 000 to 80 000 registered voters", "number filter", "towns"),
        ("lots priced between €100 and €200, please", "number filter", "lots priced"),
        ("Has Ann ever looked after Bo?", "boolean", "Ann ever looked after Bo"),
        ("Is the market under a roof?", "boolean", "the market under a roof"),
        ("towns with over half a million people", "number filter", "towns"),
        ("clubs that have a dozen or more members", "number filter", "clubs"),
        ("rivers in France, 500 km minimum", "number filter", "rivers in France"),
        ("animals of 150 kg and up", "number filter", "animals"),
        ("rivers in France longer than 500 km", "number filter", "rivers in France"),
        ("which towns have fewer inhabitants than 100,000", "number filter", "which towns"),
        ("fields over 400 metres up which are bigger than 15 hectares", "number filter", "fields"),
        ("Is there a plan that has no budget? Which one?", "negation", "which plan that has budget"),
        # two against each other
        ("Nile or Amazon, which one's longer", "comparison", "Nile and Amazon"),
        ("Between Oslo and Rome, which was founded earlier?", "comparison", "Oslo and Rome"),
        ("bigger city oslo vs rome", "comparison", "oslo and rome"),
        ("the Nile, the Congo: the longer one?", "comparison", "Nile and Congo"),
        ("which of Oslo and Rome has more parks", "comparison", "Oslo and Rome"),
        ("Are there more parks in Oslo or in Rome?", "comparison", "Oslo and Rome"),
        # yes or no
        ("true or false: Ann lives in Oslo", "boolean", "Ann lives in Oslo"),
        ("Ann lives in Oslo, correct?", "boolean", "Ann lives in Oslo"),
        ("so Oslo is in Norway isn't it", "boolean", "Oslo is in Norway"),
        ("am I right in thinking that Ann lives in Oslo", "boolean", "Ann lives in Oslo"),
        ("Isn't Ann one of the people who run Oslo?", "boolean", "Ann run Oslo"),
        ("the Owls: did they play in Rome", "boolean", "the Owls play in Rome"),
        ("does the Rhine cross Basel or not", "boolean", "the Rhine cross Basel"),
        # what is left out
        ("phones w/o camera", "negation", "phones has camera"),
        ("clerks lacking a desk", "negation", "clerks has a desk"),
        ("languages of Belgium, French aside", "negation", "languages of Belgium"),
        ("who founded Oslo Labs, leaving Ann out", "negation", "who founded Oslo Labs"),
        ("which players have yet to score", "negation", "which players score"),
        # figures
        ("on the average, how tall are the towers of Lund", "arithmetic", "which towers of Lund"),
        ("average salary sales team", "arithmetic", "which sales team"),
        ("population of norway and sweden together", "arithmetic", "which norway and sweden"),
        ("the age gap between Ann and Bo, in years", "arithmetic", "Ann and Bo"),
        ("how much longer is the Nile compared with the Po", "arithmetic", "Nile and Po"),
        # what is no operator
        ("Not to be a pain, but where is Ann based?", "plain", "where is Ann based"),
        ("Last but not least, who heads Lund?", "plain", "who heads Lund"),
        ("I have no idea who runs Lund, do you?", "plain", "who runs Lund"),
        ("who is on duty, if it isn't too much trouble", "plain", "who is on duty"),
        ("who starred in Mean Streets", "plain", "who starred in Mean Streets"),
        ("author of Less Than Nothing", "plain", "author of Less Than Nothing"),
        ("who owns the Most restaurant in Lund", "plain", "who owns the Most restaurant in Lund"),
        ("who is married to the First Minister", "plain", "who is married to the First Minister"),
        ("who was best man at the wedding", "plain", "who was best man at the wedding"),
        ("who won the 1998-99 season", "plain", "who won the 1998-99 season"),
        ("who managed Lund around 1972", "plain", "who managed Lund around 1972"),
        ("who died younger out of Ann and Bo", "plain", "who died younger out of Ann and Bo"),
        ("films of Ann and Bo together", "plain", "films of Ann and Bo together"),
        ("a frame's size is how many ms", "plain", "a frame's size is how many ms"),
    ],
)
def test_wordings(text: str, kind: str, rest: str) -> None:
    found = read_question(text)
    assert (found.kind, found.rest, found.text) == (kind, rest, text)


@pytest.mark.parametrize(
    ("text", "op", "value", "upper"),
    [
        ("songs from the 90s", "between", "1990", "1999"),
        ("songs of the eighteenth century", "between", "1701", "1800"),
        ("songs from 1960 onwards", ">=", "1960", None),
        ("songs no later than 1970", "<=", "1970", None),
        ("songs on or before 31/12/2018", "<=", "2018-12-31", None),
        ("songs post-2008", ">", "2008", None),
        ("songs pre 1930", "<", "1930", None),
        ("songs released, 1861-65", "between", "1861", "1865"),
        ("songs between March 2019 and June 2021", "between", "2019-03", "2021-06"),
        ("songs of the second half of 2020", "between", "2020-07", "2020-12"),
        ("songs released between March and July 2019", "between", "2019-03", "2019-07"),
        ("songs released from 3 to 9 May 2019", "between", "2019-05-03", "2019-05-09"),
        ("songs released in the first three months of 2024", "between", "2024-01", "2024-03"),
        ("songs released between the start of 2012 and the end of 2014", "between", "2012", "2014"),
        ("songs released after the end of 2020", ">", "2020", None),
        ("songs released no later than the end of May 2021", "<=", "2021-05", None),
        ("songs released before mid-2015", "<", "2015-07-01", None),
        ("songs released before the middle of March 2024", "<", "2024-03-15", None),
        ("songs released in 2008 or later", ">=", "2008", None),
        ("Who has been a singer since before 2010?", "<", "2010", None),
        ("songs that date from June 2013", "=", "2013-06", None),
        ("songs dating back to the 12th century", "between", "1101", "1200"),
    ],
)
def test_dates(text: str, op: str, value: str, upper: str | None) -> None:
    (stated,) = read_question(text).filters
    assert (stated.op, stated.value) == (op, p.Date(value))
    assert stated.upper == (p.Date(upper) if upper else None)


@pytest.mark.parametrize(
    ("text", "op", "value"),
    [
        ("towns with over half a million people", ">", 500_000),
        ("clubs with a dozen or more members", ">=", 12),
        ("who earns at least 60k", ">=", 60_000),
        ("halls holding 50,000+", ">=", 50_000),
        ("nurses, aged fifty plus", ">=", 50),
        ("mountains of 2000 m and up", ">=", 2000),
        ("lifts, capacity > 1200 per hour", ">", 1200),
        ("players with upwards of 20 goals", ">", 20),
        ("lifts with no fewer than two seats", ">=", 2),
        ("songs that don't go beyond two minutes", "<=", 2),
        ("flats with a rent not exceeding 900", "<=", 900),
        ("islands with a population of precisely zero", "=", 0),
        ("dogs heavier than 30 kg", ">", 30),
        ("which vans are more expensive than 40000 euros?", ">", 40_000),
        ("roads narrower than 3 m", "<", 3),
        ("trains faster than 200 km/h", ">", 200),
        ("halls that cost us over 900 euros", ">", 900),
        ("phones with only 8 gigs of memory", "=", 8),
        ("meals that can be ready in 20 minutes or less", "<=", 20),
    ],
)
def test_numbers(text: str, op: str, value: float) -> None:
    (stated,) = read_question(text).filters
    assert stated.op == op and isinstance(stated.value, p.Number) and stated.value.value == value


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("which halls cost us over 900 euros", "which halls"),  # of whoever asks
        ("Which branches of the Elbe are longer than 90 km?", "Which branches of Elbe"),  # a name is no key
        ("songs finished in 2020", "songs"),  # a year is no time that it takes
        ("wells whose lowest water level dates from 2013", "wells"),  # of what the date is
    ],
)
def test_what_a_condition_leaves(text: str, stated: str) -> None:
    read = read_question(text)
    assert len(read.filters) == 1 and read.stated == stated


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Of Kite and Ember, which is the newer boat", "which is the newer boat, Kite or Ember"),
        ("golf or polo, whichever uses less petrol", "which uses less petrol, golf or polo"),
        ("Would you say Ann is older than Bo, or the other way round", "which is older, Ann or Bo"),
        ("Did Oslo start before Rome or did Rome start before Oslo", "which start first, Oslo or Rome"),
        ("by how much is the Nile longer than the Po", "how much longer is the Nile than the Po"),
        ("How many years after Oslo did Rome open", "what is the difference in open year between Rome and Oslo"),
        ("which film has the record number of viewers", "which film has the most viewers"),
        ("a thousand ways to leave", "a thousand ways to leave"),
        ("which of the red and blue lines is longer", "which of the red and blue lines is longer"),
    ],
)
def test_forms(text: str, made: str) -> None:
    assert reworded(text) == made


def test_a_ratio_is_no_difference_and_a_metre_no_thing_to_count() -> None:
    assert read_question("how many times larger is Russia than France").unsaid == "a ratio"
    assert not read_question("by how many metres does K2 fall short of Everest").count
