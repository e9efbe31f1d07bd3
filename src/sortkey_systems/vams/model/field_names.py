"""How the document names the fields of its indexes: the beginning of a name says what the field
holds.

Metadata brings fields of its own, such as `gp_site`, which nobody can declare beforehand; these
rules are for them.
"""

import re

from sortkey import Bool, Date, FieldRule, Flat, GeoPoint, GeoShape, Integer, Text

EXCLUDED = ("VAMS_", "_")
"""Names that begin so are internal, and not indexed: neither as fields nor within `MD_` and `AB_`.
"""

FIELD_NAMES = (
    *(FieldRule(f"{prefix}*", None) for prefix in EXCLUDED),
    FieldRule("str_*", Text(), name="core_strings"),
    FieldRule("num_*", Integer(), name="core_numeric"),
    FieldRule("bool_*", Bool(), name="core_boolean"),
    FieldRule("date_*", Date(), name="core_dates"),
    FieldRule("list_*", Text(many=True), name="core_lists"),
    FieldRule("gp_*", GeoPoint(), name="core_geo_points"),
    FieldRule("gs_*", GeoShape(), name="core_geo_shapes"),
)


METADATA_KEYS, METADATA_VALUES = "list_metadata_keys", "list_metadata_values"
"""Fields for searching only: the keys and the values of metadata and attributes, by their words.
In `MD_` and `AB_` a value is found only as a whole.
"""

_KEY = re.compile(r'[^.*"\\\0]{1,190}')


def can_name_a_field(key: str) -> bool:
    """Whether a metadata key can stand in the name of a field. One that cannot is found in `MD_`
    only.
    """
    return not key.startswith(EXCLUDED) and _KEY.fullmatch(key) is not None


def flat(label: str) -> Flat:
    """`MD_` or `AB_`: all keys and values in one field, without what is internal."""
    return Flat(label=label, exclude=EXCLUDED)
