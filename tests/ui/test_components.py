"""Messages to our components: a header and arrays that lie where the browser reads them."""

import json
import re
import struct
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msviz.ui.components import _CODE, ASSETS, COMPONENTS, component, pack


def _head(data: bytes) -> tuple[object, bytes]:
    (size,) = struct.unpack_from("<I", data)
    return json.loads(data[4 : 4 + size]), data[4 + size :]


@given(st.dictionaries(st.text(max_size=9), st.text(max_size=9) | st.integers() | st.none(), max_size=4))
def test_arrays_begin_at_a_multiple_of_eight(head: dict[str, object]) -> None:
    data = pack(head, np.arange(3, dtype="<f4"), np.array([7], dtype="u1"))
    found, body = _head(data)
    assert found == head
    assert (len(data) - len(body)) % 8 == 0
    assert np.frombuffer(body, "<f4", 3).tolist() == [0, 1, 2]
    assert body[12:] == b"\x07"


def test_arrays_follow_each_other_without_a_gap() -> None:
    _, body = _head(pack({}, np.array([1, 2], "u1"), np.array([], "f4"), np.array([3], "u1")))
    assert body == b"\x01\x02\x03"


def test_an_array_is_sent_row_by_row_whatever_its_layout() -> None:
    array = np.arange(6, dtype="u1").reshape(2, 3)
    assert _head(pack({}, array))[1] == bytes(range(6))
    assert _head(pack({}, np.asfortranarray(array)))[1] == bytes(range(6))
    assert _head(pack({}, array[:, ::2]))[1] == bytes([0, 2, 3, 5])


def test_letters_of_any_alphabet_are_sent_as_utf_8() -> None:
    head = {"λ": "Σ_{k∈N_{i}} −0.5"}
    assert _head(pack(head))[0] == head


def test_a_number_that_json_does_not_have_is_an_error_here_and_not_in_the_browser() -> None:
    with pytest.raises(ValueError, match="JSON"):
        pack({"x": float("nan")})


@pytest.mark.parametrize("name", COMPONENTS)
def test_a_component_has_its_styles_and_its_script_registers_it(name: str) -> None:
    assert (ASSETS / f"{name}.css").is_file()
    assert name in _CODE
    assert f"parts.{name} = " in _script(name)
    assert component(name) is component(name)


def test_every_script_is_joined_once_but_the_stub_which_every_component_carries() -> None:
    assert sorted([*_CODE, "stub"]) == sorted(path.stem for path in ASSETS.glob("*.js"))


def test_only_what_is_sent_as_a_script_of_its_own_has_the_default_export() -> None:
    exports = {path.stem for path in ASSETS.glob("*.js") if "export default" in path.read_text("utf-8")}
    assert exports == {"stub", "code"}
    assert _CODE[-1] == "code"  # it tells those who wait that all is there


def _script(name: str) -> str:
    return (ASSETS / f"{name}.js").read_text("utf-8")


def test_no_two_scripts_define_the_same_name() -> None:
    # They are joined into one module, where the later of two functions silently takes the place of the other.
    defined = re.compile(r"^(?:async )?(?:function|const|let|class) (\w+)", re.MULTILINE)
    names = [name for part in _CODE for name in defined.findall(_script(part))]
    assert len(names) > 100
    assert [name for name, times in Counter(names).items() if times > 1] == []
