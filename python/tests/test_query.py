"""SQL over a trace, as columns."""

import numpy as np
import pytest

import slackline


def test_what_is_selected_is_what_the_command_prints(cli, traces):
    path = traces / "stencil2d.slk"
    sql = ("SELECT rank, operation, count(*) AS calls, avg(end_ns - begin_ns) AS mean FROM calls "
           "GROUP BY rank, operation ORDER BY rank, operation")
    table = slackline.open(path).query(sql)
    printed = cli.json("query", path, sql)["result"]
    assert table.columns == printed["columns"]
    assert [list(row) for row in zip(*(table[name].tolist() for name in table))] == printed["rows"]
    assert [table[name].dtype.kind for name in table] == ["i", "U", "i", "f"]


def test_nothing_is_no_text(late_sender):
    trace = slackline.open(late_sender)
    table = trace.query("SELECT NULL AS t UNION ALL SELECT 'x' UNION ALL SELECT ''")
    assert table["t"].tolist() == [None, "x", ""]
    assert table.to_pandas()["t"].isna().tolist() == [True, False, False]
    numbers = trace.query("SELECT 1 AS n, 2.5 AS f, NULL AS hole UNION ALL SELECT NULL, NULL, NULL")
    assert numbers["n"].tolist() == [1, None] and numbers["n"].dtype == np.int64
    assert numbers["f"].tolist() == [2.5, None] and numbers["hole"].tolist() == [None, None]
    assert trace.query("SELECT 1 AS a UNION ALL SELECT 0.5")["a"].tolist() == [1.0, 0.5]
    assert trace.query("SELECT 1 AS a UNION ALL SELECT 'b'")["a"].tolist() == ["1", "b"]


def test_columns_of_one_name_are_all_there(late_sender):
    table = slackline.open(late_sender).query("SELECT 1 AS a, 2 AS a, 3 AS b, 4 AS a")
    assert {name: table[name].tolist() for name in table} == {"a": [1], "a:1": [2], "b": [3], "a:2": [4]}


def test_no_rows_have_columns(late_sender):
    table = slackline.open(late_sender).query("SELECT rank, operation FROM calls WHERE rank > 7")
    assert table.columns == ["rank", "operation"] and table.rows == 0
    assert list(table.to_pandas().columns) == ["rank", "operation"]
    table.__arrow_c_array__()


def test_functions_are_asked_for(tmp_path):
    path = tmp_path / "frames.slt"
    path.write_text("slackline-trace 1 timed ranks=1\nregion 0 \"phase\"\nframe 1 0 main line=3\n"
                    "frame 2 1 relax line=7\nrank 0\n  @0 +5 init\n  @10 +5 barrier frame=2\n  @50 +5 finalize frame=1\n")
    trace = slackline.open(path)
    selected = trace.query("SELECT function FROM calls ORDER BY call")
    assert selected["function"].tolist() == ["", "relax", "main"] == trace.calls()["function"].tolist()


def test_predicted_times_are_asked_for(traces):
    trace = slackline.open(traces / "stencil2d.slk", on="predicted", L="50us")
    assert trace.query("SELECT max(end_ns) AS end FROM calls")["end"].tolist() == [trace.calls()["end_ns"].max()]


def test_wrong_statements_are_explained(cli, traces):
    path = traces / "stencil2d.slk"
    with pytest.raises(slackline.Error) as error:
        slackline.open(path).query("SELECT nothing FROM calls")
    # The command has more tables.
    said, complaint = str(error.value), cli.complaint("query", path, "SELECT nothing FROM calls")
    assert said.split(" and findings; ")[0] == complaint.split(", findings, waits, ")[0]
