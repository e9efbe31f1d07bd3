"""Search documents: declarations and queries that a type checker must refuse, between some that it
must not.
"""

from journeys import Stage

from sortkey import (
    Bool,
    Date,
    Document,
    FieldKind,
    FieldRule,
    Flat,
    GeoPoint,
    Integer,
    Keyword,
    LatLon,
    Match,
    Number,
    Search,
    Searchable,
    SearchQuery,
    Sort,
    Text,
    document,
)

FIELDS: dict[str, FieldKind] = {
    "title": Text(),
    "tags": Keyword(many=True),
    "rating": Number(),
    "place": GeoPoint(),
}


@document(
    Stage,
    "stages",
    id="{stageId}",
    fields={
        "title": Text(label="name"),
        "order": Integer(),
        "done": Bool(),
        "more": Flat(exclude=("_",)),
    },
    undeclared=[FieldRule("date_*", Date(), name="dates"), FieldRule("internal_*", None)],
    version=lambda stage: stage.order,
)
def stages(stage: Stage) -> Searchable:
    return {"title": stage.stage_id, "order": stage.order}


right: Document[Stage] = stages

document(Stage, "stages", id="{stageId}", fields={"title": Text})  # error: reportArgumentType
document(Stage, "stages", id="{stageId}", fields={"title": str})  # error: reportArgumentType
document(Stage, "stages", id="{stageId}", fields=("title",))  # error: reportArgumentType
document(Stage, "stages", id="{stageId}")  # error: reportCallIssue
RULES = {"a*": Text()}
document(Stage, "s", id="{stageId}", fields=FIELDS, undeclared=RULES)  # error: reportArgumentType
Text("name")  # error: reportCallIssue
Text(many="yes")  # error: reportArgumentType
Number(many=True)  # error: reportCallIssue
Flat(exclude="_")  # error: reportArgumentType
FieldRule("num_*", Integer)  # error: reportArgumentType
FieldRule("num_*")  # error: reportCallIssue


@document(Stage, "stages", id="{stageId}", fields=FIELDS)
def of_nothing(stage: Stage) -> Searchable:
    return ["title"]  # error: reportReturnType


def run(search: Search[Stage], here: LatLon) -> None:
    near = Match.near("place", here, metres=500) & ~Match.exists("done")
    query = SearchQuery(near).sorted_by("-rating", Sort.distance("place", here)).facet("tags")
    metres: float = here.metres_to(LatLon(44.4, 8.9))
    print(search.query(query).ids, metres)
    Match.near("place", (44.4, 8.9), metres=500)  # error: reportArgumentType
    Match.near("place", here)  # error: reportCallIssue
    SearchQuery().sorted_by(here)  # error: reportArgumentType
    Sort.distance("place", GeoPoint())  # error: reportArgumentType
