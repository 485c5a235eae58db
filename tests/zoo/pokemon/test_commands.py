"""`envwright coverage pokemon`: options that it has no use for are rejected."""

import pytest

from envwright.cli import main


def test_coverage_has_no_backend_to_choose(capsys):
    with pytest.raises(SystemExit) as left:
        main(["coverage", "pokemon", "--backend", "rust"])
    assert left.value.code == 2
    assert "--backend does not go with pokemon; leave it out" in capsys.readouterr().err
