"""JSON-LD as it lies about: contexts named by address, a document a line, in `.json` files and in pages."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.graph import Graph, build, contexts, jsonld
from clew.graph.inputs import Problems

SCHEMA = ("https://schema.org", "http://schema.org/", "http://www.schema.org", "https://schema.org/docs/jsonldcontext.json",
          ["https://schema.org"], {"@vocab": "http://schema.org/"})  # fmt: skip


def built(tmp_path, text, name="g.jsonld"):
    (tmp_path / name).write_text(text if isinstance(text, str) else json.dumps(text))
    report = build(tmp_path / name, tmp_path / "g.kg")
    return Graph.open(tmp_path / "g.kg", verify=True), report


def said(graph):
    return {(t.head.label, t.relation.label, t.tail.label) for t in graph.triples()}


def written(text, blocks=1 << 20):
    """What the stream makes of a text that comes in blocks of so many bytes, and what it tells."""
    problems = Problems()

    class Slow(io.BytesIO):
        def read(self, size=-1):
            return super().read(blocks)

    stream = jsonld.WithContexts(Slow(text.encode()), "x.jsonld", problems)
    return b"".join(iter(lambda: stream.read(7), b"")).decode(), problems


@pytest.mark.parametrize("context", SCHEMA)
def test_schema_org_by_any_address(tmp_path, context):
    graph, report = built(tmp_path, {
        "@context": context,
        "@graph": [
            {"@type": "Book", "@id": "http://e/b", "name": "Dune", "author": {"@id": "http://e/h"}, "url": "https://e/b"},
            {"@type": "Person", "@id": "http://e/h", "name": "Frank Herbert"},
        ],
    })  # fmt: skip
    assert ("Dune", "author", "Frank Herbert") in said(graph)
    assert ("Dune", "url", "https://e/b") in said(graph)
    assert report.num_problems == 0


def test_a_context_in_any_place_is_written_out(tmp_path):
    text = """[{"x": {"@context": "https://schema.org", "@id": "http://e/a", "name": "A"}, "@context": {"x": "http://e/x",
        "y": {"@id": "http://e/y", "@context": ["https://schema.org", {"z": "http://e/z"}]}},
        "@id": "http://e/b", "y": {"@id": "http://e/c", "name": "C", "z": "here \\"@context\\": \\"https://schema.org\\""}}]"""
    graph, report = built(tmp_path, text)
    assert report.num_problems == 0
    assert {row[2] for row in said(graph)} == {"A", "C", 'here "@context": "https://schema.org"'}


def test_texts_and_inline_contexts_stay_as_they_are():
    text = '{"@context" : {"@vocab": "http://e/"}, "a": "\\"@context\\": \\"https://schema.org\\"", "b": "@context"}'
    assert written(text)[0] == text
    assert (
        json.loads(written('{"@context":\n"https://schema.org"\n,"a":1}')[0])["@context"]["@vocab"]
        == "http://schema.org/"
    )


@given(st.integers(1, 40), st.sampled_from(["", "  ", "\n"]), st.sampled_from(SCHEMA[:5]))
def test_the_size_of_the_blocks_changes_nothing(size, space, context):
    part = f'{{"@context"{space}:{space}{json.dumps(context)}, "a": "x\\\\", "c": ["@context", {{"d": "[{{"}}]}}'
    text = f"[{part},{part}]"
    assert written(text, size)[0] == written(text)[0]
    assert json.loads(written(text, size)[0])[1]["a"] == "x\\"


def test_an_unknown_context_is_told_once_and_its_terms_are_kept(tmp_path):
    graph, report = built(tmp_path, {"@context": "https://e.org/ctx.jsonld", "graph": [
        {"id": "http://e/a", "type": "Vessel", "name": "Anna", "owner": {"id": "http://e/b"}},
        {"@context": "https://e.org/ctx.jsonld", "id": "http://e/b", "name": "Berta"}]})  # fmt: skip
    assert {("Anna", "owner", "Berta"), ("Anna", "type", "Vessel")} <= said(graph)
    assert report.problem_counts == {"context": 1}
    assert 'the context "https://e.org/ctx.jsonld" was not fetched' in str(report)
    graph, report = built(tmp_path, {"@context": ["https://schema.org", "https://e.org/more"], "@id": "http://e/a",
                                     "legalName": "A"})  # fmt: skip
    assert graph.relations()[0].id == "http://schema.org/legalName"  # what is known says where terms stand


def test_known_contexts_are_contexts():
    addresses = (
        "https://w3id.org/ro/crate/1.1/context", "https://doi.org/10.5063/schema/codemeta-2.0",
        "https://www.w3.org/ns/activitystreams", "http://www.w3.org/ns/anno.jsonld",
        "http://iiif.io/api/presentation/3/context.json", "https://www.w3.org/2018/credentials/v1",
        "https://project-open-data.cio.gov/v1.1/schema/catalog.jsonld", "https://linked.art/ns/v1/linked-art.json",
        "https://spdx.org/rdf/3.0.1/spdx-context.jsonld", "https://w3id.org/security/v1",
        "https://uri.etsi.org/ngsi-ld/v1/ngsi-ld-core-context.jsonld",
    )  # fmt: skip
    for address in addresses:
        context = contexts.known(address)
        assert context is not None, address
        text, problems = written(json.dumps({"@context": address, "id": "http://e/a", "name": "x"}))
        assert not problems.total
        assert json.loads(text)["@context"] == context


def test_activities_link_by_their_texts(tmp_path):
    graph, _ = built(tmp_path, {"@context": "https://www.w3.org/ns/activitystreams", "type": "Create", "id": "http://e/1",
        "actor": "http://e/ana", "published": "2024-05-01T10:00:00Z",
        "object": {"type": "Note", "id": "http://e/n", "name": "Hello"}})  # fmt: skip
    assert {t.tail.id for t in graph.triples() if t.relation.label == "actor"} == {"http://e/ana"}


CRATE = {
    "@context": "https://w3id.org/ro/crate/1.1/context",
    "@graph": [
        {"@id": "ro-crate-metadata.json", "@type": "CreativeWork", "about": {"@id": "./"},
         "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"}},
        {"@id": "./", "@type": "Dataset", "name": "Soil cores", "hasPart": [{"@id": "data/cores 1.csv"}],
         "author": {"@id": "#ada"}},
        {"@id": "data/cores%201.csv", "@type": "File", "name": "Table of cores"},
        {"@id": "#ada", "@type": "Person", "name": "Ada Quist"},
    ],
}  # fmt: skip


def test_json_ld_in_a_json_file_and_relative_ids(tmp_path):
    graph, report = built(tmp_path, CRATE, "ro-crate-metadata.json")
    assert ("Soil cores", "author", "Ada Quist") in said(graph)
    assert report.num_problems == 0


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonld", "x.json"])
def test_a_document_a_line(tmp_path, name):
    rows = [{"@context": "https://schema.org", "@id": f"http://e/{n}", "name": f"N{n}", "knows": {"@id": "http://e/0"}}
            for n in range(3)]  # fmt: skip
    graph, report = built(tmp_path, "\n".join([*map(json.dumps, rows), '{"broken', ""]), name)
    assert ("N2", "knows", "N0") in said(graph)
    assert report.problem_counts == {"syntax": 1}


def test_the_json_ld_of_a_page(tmp_path):
    page = """<html><head><script>var a = {"@context": 1}</script>
    <script type="application/ld+json">{"@context": "https://schema.org", "@type": "Recipe", "name": "Pho",
      "author": {"@type": "Person", "name": "Mai"}}</script>
    <script class="yoast" type='application/ld+json'>//<![CDATA[
      [{"@context": "https://schema.org", "@type": "Recipe", "name": "Dal",
        "author": {"@type": "Person", "name": "Asha"}}]
    //]]></script>
    <script type="application/ld+json">{"oops</script></head></html>"""
    graph, report = built(tmp_path, page, "page.html")
    assert {("Pho", "author", "Mai"), ("Dal", "author", "Asha")} <= said(graph)
    assert report.problem_counts == {"syntax": 1}
    (tmp_path / "bare.html").write_text("<html></html>")
    with pytest.raises(Exception, match="a page without JSON-LD"):
        build(tmp_path / "bare.html", tmp_path / "b.kg")


SHOP = {
    "@context": "https://schema.org",
    "@type": "Product", "@id": "http://e/p", "name": "Lamp", "url": "http://e/p",
    "image": {"@type": "ImageObject", "url": "http://e/p.jpg", "width": 640},
    "aggregateRating": {"@type": "AggregateRating", "ratingValue": "4.5", "itemReviewed": {"@id": "http://e/p"}},
    "offers": {"@type": "Offer", "price": 12.5, "priceCurrency": "EUR", "availability": "https://schema.org/InStock",
               "url": "http://e/p?buy", "seller": {"@type": "Organization", "name": "Lights"}},
    "releaseDate": "2021-03-04", "timeRequired": "PT1H5M",
}  # fmt: skip


def test_nodes_of_schema_org_that_are_no_things(tmp_path):
    graph, report = built(tmp_path, SHOP)
    assert said(graph) == {
        ("Lamp", "type", "Product"), ("Lamp", "url", "http://e/p"), ("Lamp", "image", "http://e/p.jpg"),
        ("Lamp", "rating value", "4.5"), ("Lamp", "price", "12.5"), ("Lamp", "price currency", "EUR"),
        ("Lamp", "availability", "In Stock"), ("Lamp", "seller", "Lights"), ("Lights", "type", "Organization"),
        ("Lamp", "release date", "2021-03-04"), ("Lamp", "time required", "1 h 5 min"),
    }  # fmt: skip
    assert report.values == 3
    assert {t.tail.datatype.rsplit("#")[-1] for t in graph.triples() if t.relation.label == "time required"} == {
        "duration"
    }
