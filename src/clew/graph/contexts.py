"""The contexts of JSON-LD that are named by address, written out: nothing is fetched.

Kept apart from `jsonld`, which puts them in the place of their addresses. Only what a graph needs of the published
contexts is here: the vocabulary, aliases of keywords, properties whose texts are ids.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

Context = Mapping[str, Any]

XSD = "http://www.w3.org/2001/XMLSchema#"
DCT = "http://purl.org/dc/terms/"
ALIASES: dict[str, Any] = {"id": "@id", "type": "@type"}
_PREFIXES: Context = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": XSD, "owl": "http://www.w3.org/2002/07/owl#", "skos": "http://www.w3.org/2004/02/skos/core#",
    "foaf": "http://xmlns.com/foaf/0.1/", "dc": "http://purl.org/dc/elements/1.1/", "dct": DCT, "dcterms": DCT,
    "dcat": "http://www.w3.org/ns/dcat#", "prov": "http://www.w3.org/ns/prov#", "schema": "http://schema.org/",
}  # fmt: skip


def _ids(names: str, **more: str) -> dict[str, Any]:
    """Properties whose texts are ids of things."""
    return {name: {"@type": "@id"} | ({"@id": more[name]} if name in more else {}) for name in names.split()}


def _terms(names: str) -> dict[str, Any]:
    """Properties whose texts are terms of the vocabulary or ids."""
    return {name: {"@type": "@vocab"} for name in names.split()}


def _dates(prefix: str, names: str, kind: str = "dateTime") -> dict[str, Any]:
    return {name: {"@id": prefix + name, "@type": XSD + kind} for name in names.split()}


# Addresses of pages, images and files stay texts, against the context of schema.org: as things they would have no name.
_SCHEMA: Context = {
    "@vocab": "http://schema.org/",
    **_PREFIXES,
    **ALIASES,
    **_ids("sameAs additionalType"),
    **_terms(
        "actionStatus albumProductionType albumReleaseType availability availableDeliveryMethod bookFormat "
        "businessFunction contactOption dayOfWeek deliveryStatus drivingWheelConfiguration eventAttendanceMode "
        "eventStatus gamePlatform itemCondition itemListOrder legalStatus mapType medicalSpecialty orderStatus "
        "paymentStatus physicalRequirement playMode releaseStatus reservationStatus restrictedDiet returnFees "
        "returnMethod returnPolicyCategory serverStatus steeringPosition suitableForDiet"
    ),
}
_CRATE: Context = {**_SCHEMA, **_ids("conformsTo", conformsTo=f"{DCT}conformsTo")}
_LINKED_ART: Context = {
    "@vocab": "http://www.cidoc-crm.org/cidoc-crm/",
    **_PREFIXES,
    **ALIASES,
    "_label": "rdfs:label",
}
_NGSI: Context = {"@vocab": "https://uri.etsi.org/ngsi-ld/default-context/", **ALIASES, **_ids("object")}
_GEOJSON: Context = {"@vocab": "https://purl.org/geojson/vocab#", **ALIASES, "coordinates": None}
_ACTIVITIES: Context = {
    "@vocab": "https://www.w3.org/ns/activitystreams#",
    **_PREFIXES,
    **ALIASES,
    **_ids(
        "actor anyOf attachment attributedTo audience bcc bto cc context current describes first followers following "
        "generator inReplyTo instrument last liked likes location next object oneOf origin outbox partOf prev preview "
        "relationship replies result shares subject tag target to"
    ),
    "inbox": {"@id": "http://www.w3.org/ns/ldp#inbox", "@type": "@id"},
    "items": {"@type": "@id"},
    "orderedItems": {"@id": "items", "@type": "@id"},
    "nameMap": {"@id": "name", "@container": "@language"},
    "summaryMap": {"@id": "summary", "@container": "@language"},
    "contentMap": {"@id": "content", "@container": "@language"},
    **_dates("https://www.w3.org/ns/activitystreams#", "published updated startTime endTime deleted"),
}
_OA = "http://www.w3.org/ns/oa#"
_ANNOTATIONS: Context = {
    "@vocab": _OA,
    **_PREFIXES,
    **ALIASES,
    "oa": _OA,
    **_ids("body target source selector state scope", body=f"{_OA}hasBody", target=f"{_OA}hasTarget",
           source=f"{_OA}hasSource", selector=f"{_OA}hasSelector", state=f"{_OA}hasState", scope=f"{_OA}hasScope"),
    **_ids("creator generator via canonical rights", creator=f"{DCT}creator", rights=f"{DCT}rights"),
    "motivation": {"@id": f"{_OA}motivatedBy", "@type": "@vocab"},
    "purpose": {"@id": f"{_OA}hasPurpose", "@type": "@vocab"},
    **_dates(DCT, "created modified issued"),
    "value": "rdf:value", "label": "rdfs:label", "name": "foaf:name", "format": "dc:format", "language": "dc:language",
}  # fmt: skip
_OF_DATASETS = (
    "title description publisher issued modified identifier language spatial temporal accrualPeriodicity format rights "
    "isPartOf references"
)
_DCAT: Context = {
    "@vocab": "http://www.w3.org/ns/dcat#",
    **_PREFIXES,
    "org": "http://www.w3.org/ns/org#", "vcard": "http://www.w3.org/2006/vcard/ns#",
    **{name: f"dct:{name}" for name in _OF_DATASETS.split()},
    "name": "foaf:name", "fn": "vcard:fn", "hasEmail": "vcard:hasEmail", "mediaType": "dcat:mediaType",
    "subOrganizationOf": "org:subOrganizationOf",
    **_ids("license conformsTo", license=f"{DCT}license", conformsTo=f"{DCT}conformsTo"),
}  # fmt: skip
_CREDENTIALS: Context = {
    "@vocab": "https://www.w3.org/2018/credentials#",
    **ALIASES,
    **_ids("issuer holder credentialSubject controller verificationMethod assertionMethod authentication"),
    **_dates("https://www.w3.org/2018/credentials#", "issuanceDate expirationDate validFrom validUntil"),
}
_SPDX: Context = {
    "@vocab": "https://spdx.org/rdf/3.0.1/terms/Core/",
    **_PREFIXES,
    "spdxId": "@id", "type": "@type", "@base": "https://spdx.org/",
    **_ids("from to element rootElement createdBy createdUsing creationInfo suppliedBy originatedBy subject agent "
           "software_snippetFromFile assessedElement"),
    **_terms("relationshipType completeness software_primaryPurpose profileConformance"),
    **_dates("https://spdx.org/rdf/3.0.1/terms/Core/", "created builtTime releaseTime validUntilTime"),
}  # fmt: skip


def _iiif(version: int) -> Context:
    texts = {"label": "rdfs:label", "summary": "http://schema.org/description", "value": "rdf:value"}
    by_language = {name: {"@id": id, "@container": "@language"} for name, id in texts.items()}
    named = ALIASES | by_language if version > 2 else {"label": "rdfs:label", "description": f"{DCT}description"}
    return {
        "@vocab": f"http://iiif.io/api/presentation/{version}#",
        "sc": f"http://iiif.io/api/presentation/{version}#",
        "oa": _OA, "dctypes": "http://purl.org/dc/dcmitype/",
        **_PREFIXES, **named,
    }  # fmt: skip


_KNOWN: tuple[tuple[str, Context], ...] = (  # the address without scheme, "www." and what stands at its end
    (r"schema\.org(?:/docs/jsonldcontext\.json(?:ld)?)?|bioschemas\.org.*", _SCHEMA),
    (r"w3id\.org/(?:ro|workflowhub)/.*|.*researchobject\.org/.*", _CRATE),
    (r".*codemeta.*", {**_SCHEMA, **_ids("license")}),
    (r"w3\.org/ns/activitystreams(?:\.jsonld)?", _ACTIVITIES),
    (r"w3\.org/ns/(?:anno|oa)(?:\.jsonld)?|iiif\.io/api/.*annotation.*", _ANNOTATIONS),
    (r"iiif\.io/api/presentation/2.*", _iiif(2)),
    (r"iiif\.io/api/presentation/3.*", _iiif(3)),
    (r"project-open-data\.cio\.gov/.*|w3\.org/ns/dcat.*", _DCAT),
    (r"w3\.org/(?:2018/credentials|ns/credentials|ns/did).*", _CREDENTIALS),
    (r"w3id\.org/security.*|w3id\.org/did.*", ALIASES),
    (r"linked\.art/.*", _LINKED_ART),
    (r"spdx\.org/.*", _SPDX),
    (r"uri\.etsi\.org/ngsi-ld/.*", _NGSI),
    (r"(?:geojson\.org|purl\.org)/geojson.*", _GEOJSON),
)
_BARE = re.compile(r"^(?:https?:)?//(?:www\.)?|[/#]+$")


def known(address: str) -> Context | None:
    """What stands at an address, as far as a graph needs it; None for one that is not known."""
    bare = _BARE.sub("", address.strip()).casefold()
    return next((context for pattern, context in _KNOWN if re.fullmatch(pattern, bare)), None)


def guessed(address: str, sample: str) -> Context:
    """What is taken for the context at an unknown address: terms under it, keywords without their @ where used so.

    Args:
        sample: the beginning of the document; `id` is the id only where no `@id` stands beside it.
    """
    found: dict[str, Any] = {"@vocab": _vocabulary(address), **_PREFIXES}
    for word, value in (("id", '"'), ("type", r'["[]'), ("graph", r"[[{]")):
        if re.search(rf'"{word}"\s*:\s*{value}', sample) and f'"@{word}"' not in sample:
            found[word] = f"@{word}"
    return found


def _vocabulary(address: str) -> str:
    """Where the terms of an unknown context stand: an IRI that ends in / or #."""
    at = re.sub(r'[\s<>"{}|\\^`]', "", address)
    at = at if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", at) else f"file:///{at.lstrip('./')}"
    return at if at.endswith(("/", "#")) else f"{at}#"


def written_out(value: Any, sample: str) -> tuple[Any, list[str]]:
    """A context with those that it names by address written out, and the addresses that are not known.

    Of several, an unknown one changes nothing but keywords where another gives the vocabulary.
    """
    unknown: list[str] = []
    return _written_out(value, sample, unknown), unknown


def _written_out(value: Any, sample: str, unknown: list[str]) -> Any:
    if isinstance(value, str):
        context = known(value)
        if context is None:
            unknown.append(value)
            context = guessed(value, sample)
        return context
    if isinstance(value, dict):
        return {
            key: _written_out(each, sample, unknown) if _holds_address(key, each) else each
            for key, each in value.items()
        }
    if not isinstance(value, list):
        return value
    parts = [_written_out(each, sample, unknown) for each in value]
    sure = any("@vocab" in (known(each) or {}) if isinstance(each, str) else isinstance(each, dict) and "@vocab" in each
               for each in value)  # fmt: skip
    return [
        {key: said for key, said in part.items() if key != "@vocab"}
        if sure and isinstance(each, str) and known(each) is None
        else part
        for part, each in zip(parts, value, strict=True)
    ]


def _holds_address(key: str, value: Any) -> bool:
    """Whether a context stands in another: of a term alone, or the term itself that has one."""
    return isinstance(value, (str, list)) if key == "@context" else isinstance(value, dict)


def as_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
