"""Which formats are read, by the end of a file's name, and what to make of those that are not.

Kept apart from `build`, which reads them.
"""

from __future__ import annotations

import re
from pathlib import Path

from clew.errors import InputError
from clew.graph.columns import SQLITE
from clew.graph.inputs import split_suffix
from clew.graph.jsonld import PAGES
from clew.graph.node_link import DOCUMENTS
from clew.graph.unpacking import PACKED

RDF = ("nt", "nq", "ttl", "trig", "jsonld", "rdf", "xml", "owl", "n3", *PAGES)
TEXT = ("tsv", "csv", "txt")
XML = ("graphml", "gexf")
# A parser of these can make much out of little.
APART = (*RDF, "parquet", *DOCUMENTS, *XML, "gml", "cypher", "cypherl", "cql")
FORMATS = (*APART, *TEXT, "jsonl", *SQLITE, *PACKED)
BESIDE = ("txt", "json", "xml", *PAGES)  # formats of files that lie in folders for other reasons as well
SAME = {"ndjson": "jsonl", "jsonlines": "jsonl", "turtle": "ttl", "ntriples": "nt", "nquads": "nq", "xhtm": "html"}
UNREAD = {
    **dict.fromkeys(("ofn", "omn", "owx"), "OWL in a syntax that is no RDF: save it as Turtle or RDF/XML "
                    "(Protégé: Save as; robot convert --input FILE --output FILE.ttl)"),
    "obo": "an ontology in OBO: write Turtle or JSON of it (robot convert --input FILE --output FILE.ttl)",
    "bib": "BibTeX: write CSL JSON of it, which is read (Zotero: Export; pandoc FILE -t csljson -o refs.json)",
    "ris": "RIS: write CSL JSON of it, which is read (Zotero: Export)",
    "srx": "results of SPARQL as XML: ask for JSON or CSV of them (Accept: application/sparql-results+json)",
    "ged": "GEDCOM: write tables of it (Gramps: Export, CSV), one of people and one of families",
    **dict.fromkeys(("yaml", "yml"), "YAML: write JSON of it, which is read (yq -o json FILE)"),
    **dict.fromkeys(("dot", "gv"), "Graphviz: write GraphML or GML of it (gv2gml FILE -o FILE.gml)"),
    **dict.fromkeys(("mmd", "mermaid", "puml"), "a drawing in text: write a table of its edges (source,target,type)"),
    "hdt": "HDT: write N-Triples of it (hdt2rdf.sh FILE FILE.nt)",
    **dict.fromkeys(("arrow", "feather", "avro", "orc"), "a table in a format that is not read: write Parquet of it"),
    **dict.fromkeys(("pkl", "pickle"), "a pickle, which runs code when read: write Parquet, CSV or GraphML of it"),
    **dict.fromkeys(("md", "pdf", "docx"), "text: a graph has to be made of it by another program first"),
    "zip": "an archive: unpack it and name its folder", "tgz": "an archive: unpack it and name its folder",
    "tar": "an archive: unpack it and name its folder",
}  # fmt: skip


def there(file: Path) -> bool:
    try:
        return file.exists()
    except (OSError, ValueError):  # no name that a file can have
        return False


_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:/", re.IGNORECASE)  # a Path keeps one of two slashes


def format_of(file: Path, given: str | None) -> str:
    suffix = given or split_suffix(file)[0]
    suffix = SAME.get(suffix, suffix)
    if _ADDRESS.match(str(file)) and not there(file):
        raise InputError(
            f"{str(file)[:200]}: an address, expected files; a graph in a server is asked as it is (clew ask URL), "
            "or a part copied (clew pull URL -o part.kg --around topics.txt); a file on the web is to be downloaded"
        )
    if suffix in UNREAD:
        raise InputError(f"{str(file)[:200]}: {UNREAD[suffix]}")
    if suffix not in FORMATS and not (there(file) and file.is_dir()):
        raise InputError(
            f"{str(file)[:200]}: unknown format {suffix[:40]!r}; known are {', '.join(FORMATS)}: say which one it is"
        )
    return suffix
