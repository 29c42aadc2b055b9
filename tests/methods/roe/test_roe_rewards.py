"""The five rewards by hand, and what they make of a policy that lists everything."""

from __future__ import annotations

import pytest

from clew.methods.roe.notation import split_json
from clew.methods.roe.rewards import discovery, reward_functions, share
from clew.methods.roe.short import split_short

FACTS = {
    "tags": {
        "#1": {"entities": [10, 11], "paths": ["0"]},
        "#2": {"entities": [12], "paths": ["1"]},
        "#3": {"entities": [13], "paths": ["2"]},
    },
    "answers": [10, 11],
    "paths": ["1"],
    "every": [10, 11, 13],
}


def test_shares() -> None:
    assert share({1, 2}, {1, 3}) == 0.5
    assert share({1, 2, 3}, {1, 3}) == 1.0
    assert share(set(), {1}) == 0.0
    assert share([1, 1], {1, 2}) == 0.5


def test_nothing_to_find_is_right_only_where_nothing_is_named() -> None:
    assert (share(set(), set()), share({1}, set())) == (1.0, 0.0)


def test_answer_discovery() -> None:
    assert discovery({1, 2}, {1}, {1, 2, 3}, beta=0.5, mode="paper") == 1.0
    assert discovery({1, 9}, {1}, {1, 2}, beta=0.5, mode="paper") == -0.5
    assert discovery({1, 2, 9}, {1}, {1, 2}, beta=0.25, mode="paper") == 0.75
    assert discovery({1, 2, 9}, {1}, {1, 2}, mode="off") == 0.0


def test_exploration_discovery() -> None:
    assert discovery({1, 2, 3}, {1}, {1, 2, 3}, mode="paper") == 2.0
    assert discovery({1, 7}, {1}, {1, 2}, beta=0.5, mode="paper") == -0.5


def test_discovery_is_bounded_unless_it_is_taken_as_printed() -> None:
    everything = set(range(50))
    assert discovery(everything, {0}, everything, mode="paper") == 49.0
    assert discovery(everything, {0}, everything) == 1.0
    assert discovery({90, 91, 92, 93}, {1}, {1}) == -1.0
    assert discovery({1, 2, 3, 4, 5}, {1, 2, 3, 4}, {1, 2, 3, 4, 5}) == 0.25


@pytest.mark.parametrize(("mode", "listing_pays"), [("paper", True), ("off", False)])
def test_listing_everything_wins_only_with_the_printed_reward(mode: str, listing_pays: bool) -> None:
    facts = {
        "tags": {f"#{i}": {"entities": [i], "paths": [str(i)]} for i in range(1, 9)},
        "answers": [],
        "paths": ["1"],
        "every": [],
    }
    rewards = reward_functions(split_short, beta=0.5, mode=mode)  # type: ignore[arg-type]
    texts = ["+#1", "+" + "".join(f"#{i}" for i in range(1, 9))]
    right, listing = (sum(rewards[name]([text], [facts])[0] for name in rewards) for text in texts)
    assert (listing > right) == listing_pays


def test_each_reward_has_its_own_name_and_judges_texts() -> None:
    widths: list[int] = []
    rewards = reward_functions(split_short, beta=0.5, mode="clipped", observe=widths.append)
    texts = ["=#1+#2", "=#1#3+#2#3", "-", "no action", "=#9"]
    found = {name: list(reward(texts, [FACTS] * 5)) for name, reward in rewards.items()}
    assert found == {
        "format": [1, 1, 1, 0, 1],
        "answers": [1, 1, 0, 0, 0],
        "exploration": [1, 1, 0, 0, 0],
        "answer_discovery": [0, 0.5, 0, 0, -0.25],
        "exploration_discovery": [0, 1, 0, 0, 0],
    }
    assert widths == [1, 2, 0, 0, 0]
    assert set(reward_functions(split_short, beta=0.5, mode="off")) == {"format", "answers", "exploration"}


def test_json_is_strict_for_the_format_reward() -> None:
    assert split_json('{"answers": ["1"], "exploration_paths": ["2.1"]}') == (["1"], ["2.1"], True)
    assert split_json('{"answers": [], "exploration_paths": [["a", "r", "b"]]}')[1] == ['["a", "r", "b"]']
    written = '{"answers": ["1"], "exploration_paths": []}'
    for text in ("", "none", '{"answers": ["1"]}', f"The action is {written}", f"```json\n{written}", "[" * 9999):
        assert split_json(text) == ([], [], False)


@pytest.mark.parametrize("thoughts", ["", '<think>perhaps {"answers": ["2"]}</think>\n\n', "hm</think>"])
@pytest.mark.parametrize("fence", ["{}", "```json\n{}\n```", "```\n{}\n```<|im_end|>"])
def test_thoughts_and_a_fence_are_how_chat_models_write(thoughts: str, fence: str) -> None:
    written = '{"answers": ["1"], "exploration_paths": []}'
    assert split_json(thoughts + fence.replace("{}", written)) == (["1"], [], True)
