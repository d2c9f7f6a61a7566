"""Providers that answer with pictures, against the fake one: what goes out, what comes back."""

from __future__ import annotations

import asyncio
import io
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from redline.models import ModelCard, PicturePart, ProviderError, Settings, Usage, open_model
from redline.models.openai_chat import ChatModel
from redline.models.openai_pictures import PictureEditModel
from redline.models.openai_responses import ResponsesModel
from tests.fake_provider.answers import ADDRESS
from tests.fake_provider.fixture import FakeProvider
from tests.models.making import SECRET, edit_request, picture_request, real_picture
from tests.models.test_providers import ask, fail

APIS = ("openai", "openrouter", "server", "google", "pictures", "responses")
"""Every way to ask for a picture; the first three are chat servers with message.images."""


def _array(data: bytes) -> np.ndarray[Any, Any]:
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


@pytest.mark.parametrize("api", APIS)
def test_the_picture_goes_out_byte_for_byte_and_its_edit_comes_back(
    fake_provider: FakeProvider, api: str
) -> None:
    sent = real_picture("picture")
    reply = ask(fake_provider, api, picture_request(sent))
    [call] = fake_provider.calls()
    assert (call["kind"], call["pictures"]) == ("picture", [sent.sha256])
    assert "Make it blue." in call["text"]
    (got,) = reply.pictures
    # The fake provider paints a rectangle of a quarter of each side.
    changed = (_array(got) != _array(sent.data)).any(axis=2)
    assert changed.sum() == (24 // 4) * (16 // 4)
    assert (reply.finish, reply.usage.pictures) == ("stop", 1)
    assert json.loads(reply.raw)


@pytest.mark.parametrize("api", APIS)
def test_several_pictures_go_out_in_order_and_the_text_tells_them_apart(
    fake_provider: FakeProvider, api: str
) -> None:
    sent = [real_picture("picture"), replace(real_picture("drawing", "blue"))]
    ask(fake_provider, api, edit_as_picture(*sent))
    [call] = fake_provider.calls()
    assert call["pictures"] == [p.sha256 for p in sent]
    assert call["labels"] == (
        ["picture", "drawing"]
        if api == "pictures"
        else ['Picture "picture":', 'Picture "drawing":']
    )


def edit_as_picture(*pictures: PicturePart) -> Any:
    return replace(edit_request(*pictures), want="picture")


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("fault", "kind", "said"),
    [
        ("html_picture", "transient", "an HTML page in place of a picture"),
        ("cut_picture", "transient", "bytes that are no picture"),
        ("cut_base64", "transient", "base64 that can't be decoded"),
        ("picture_address", "bad_request", "Redline fetches nothing from other hosts"),
    ],
)
def test_what_comes_in_place_of_a_picture_is_the_providers_fault_and_no_failed_edit(
    fake_provider: FakeProvider, api: str, fault: str, kind: str, said: str
) -> None:
    if (api, fault) == ("responses", "picture_address"):
        pytest.skip("this API gives no addresses")
    fake_provider.faults(fault)
    error = fail(fake_provider, api, picture_request(real_picture("picture")))
    assert error.kind == kind
    assert error.status == 200, "the run must know that the call may have been billed"
    assert said in str(error)
    assert error.__context__ is None
    # Nobody asked the address, nor anything else.
    assert len(fake_provider.calls()) == 1
    assert ADDRESS not in str(error)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("fault", ["refusal", "content_filter"])
def test_saying_no_in_place_of_a_picture_is_an_answer(
    fake_provider: FakeProvider, api: str, fault: str
) -> None:
    if api == "pictures":
        fault = "filtered_400"
    fake_provider.faults(fault)
    reply = ask(fake_provider, api, picture_request(real_picture("picture")))
    assert reply.pictures == ()
    # Gemini has no word for a refusal: it ends normally, with words and without a picture.
    assert reply.finish in ("refusal", "content_filter") or (api, reply.text[:1]) == ("google", "I")


def test_one_good_picture_among_bad_ones_is_the_picture(fake_provider: FakeProvider) -> None:
    import base64

    good = real_picture("edit").data
    bad = [b"<html>", good[: len(good) // 2]]
    rule = {"pictures": [base64.b64encode(p).decode() for p in (bad[0], good, bad[1])]}
    fake_provider.answers(rule)
    reply = ask(fake_provider, "openai", picture_request(real_picture("picture")))
    assert reply.pictures == (good,)
    assert "left out: an HTML page" in reply.notes


# -- /images/edits --


def test_settings_of_a_picture_are_fields_of_the_form(fake_provider: FakeProvider) -> None:
    extra = {"size": "1024x1536", "quality": "high", "output_format": "png", "n": 1}
    ask(
        fake_provider, "pictures", picture_request(real_picture("picture")),
        Settings(extra_body=extra),
    )  # fmt: skip
    [call] = fake_provider.calls()
    assert call["document"] == {
        "model": "fake-1", "prompt": "Make it blue.", "size": "1024x1536", "quality": "high",
        "output_format": "png", "n": "1",
    }  # fmt: skip
    assert call["headers"]["content-type"].startswith("multipart/form-data; boundary=")


def test_a_mask_is_sent_as_the_transparent_part_of_a_picture(fake_provider: FakeProvider) -> None:
    mask = Image.new("L", (24, 16), 0)
    mask.paste(255, (0, 0, 10, 16))
    out = io.BytesIO()
    mask.save(out, "PNG")
    sent = picture_request(real_picture("picture"), PicturePart(out.getvalue(), "mask"))
    reply = ask(fake_provider, "pictures", sent)
    [call] = fake_provider.calls()
    assert call["labels"] == ["picture", "mask"]
    assert call["sizes"] == [[24, 16], [24, 16]]
    assert reply.pictures
    # The form itself, as the fake provider would refuse it otherwise: alpha 0 where it was white.
    from redline.models.openai_pictures import _cut_out

    cut = np.asarray(Image.open(io.BytesIO(_cut_out(sent.messages[0].parts[1]).data)))  # type: ignore[arg-type]
    assert (cut[:, :10, 3] == 0).all()
    assert (cut[:, 10:, 3] == 255).all()


def test_a_seed_goes_to_servers_of_ones_own_and_openai_has_none(
    fake_provider: FakeProvider,
) -> None:
    asked = picture_request(real_picture("picture"))
    reply = ask(fake_provider, "pictures", asked, Settings(seed=7))
    assert any("seed was not sent" in n for n in reply.notes)

    async def own() -> Any:
        name = f"{fake_provider.url}/v1/images/edits#Qwen/Qwen-Image-Edit"
        m = open_model(name, Settings(seed=7), env={})
        try:
            return await m.complete(asked)
        finally:
            await m.close()

    assert not asyncio.run(own()).notes
    first, second = fake_provider.calls()
    assert "seed" not in first["document"]
    assert second["document"]["seed"] == "7"


def test_openais_own_client_reads_the_edit(fake_provider: FakeProvider) -> None:
    openai = pytest.importorskip("openai")
    client = openai.OpenAI(
        api_key="sk-anything-at-all", base_url=f"{fake_provider.url}/v1", max_retries=0
    )
    files = [("a.png", real_picture("a").data, "image/png")] * 2
    made = client.images.edit(model="m", prompt="Make it blue.", image=files)
    assert made.data[0].b64_json
    assert made.usage.output_tokens == 1000


# -- the Responses API --


def test_the_tool_that_makes_pictures_is_asked_for_and_can_be_set_up(
    fake_provider: FakeProvider,
) -> None:
    tool = {"type": "image_generation", "quality": "high", "model": "gpt-image-1.5"}
    asked = picture_request(real_picture("picture"))
    ask(fake_provider, "responses", asked)
    ask(fake_provider, "responses", asked, Settings(extra_body={"tools": [tool]}))
    plain, told = (c["document"] for c in fake_provider.calls())
    assert plain["tools"] == [{"type": "image_generation"}]
    assert plain["tool_choice"] == {"type": "image_generation"}
    assert told["tools"] == [tool]


def test_the_same_model_answers_texts_by_chat(fake_provider: FakeProvider) -> None:
    assert "```latex" in ask(fake_provider, "responses", edit_request()).text
    assert [c["api"] for c in fake_provider.calls()] == ["openai"]


@pytest.mark.parametrize("body", ["{}", '{"output": 7}', '{"output": null}'])
def test_a_body_without_output_is_worth_another_try(fake_provider: FakeProvider, body: str) -> None:
    fake_provider.faults({"fault": "raw", "body": body})
    error = fail(fake_provider, "responses", picture_request(real_picture("picture")))
    assert error.kind == "transient"


# -- names and prices --


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("openai/gpt-image-1.5", PictureEditModel),
        ("openai/gpt-image-2", PictureEditModel),
        ("openai/chatgpt-image-latest", PictureEditModel),
        ("openai/gpt-5.4", ResponsesModel),
        ("openrouter/google/gemini-3-pro-image-preview", ChatModel),
        ("http://h:8000/v1#m", ChatModel),
        ("http://h:8000/v1/chat/completions#m", ChatModel),
        ("http://h:8000/v1/images/edits#m", PictureEditModel),
        ("http://h:8000/v1/responses#m", ResponsesModel),
    ],
)
def test_a_name_says_which_api_is_asked(name: str, kind: type) -> None:
    env = {"OPENAI_API_KEY": SECRET, "OPENROUTER_API_KEY": SECRET}
    m = open_model(name, Settings(), env=env)
    assert type(m) is kind
    asyncio.run(m.close())


def test_tokens_of_pictures_are_counted_apart(fake_provider: FakeProvider) -> None:
    asked = picture_request(real_picture("picture"))
    usage = ask(fake_provider, "pictures", asked).usage
    # As the fake provider counts: 100 of text, 10 a picture sent, 1,000 a picture drawn.
    assert (usage.input_tokens, usage.picture_input_tokens) == (110, 10)
    assert (usage.output_tokens, usage.picture_output_tokens) == (1000, 1000)
    usage = ask(fake_provider, "google", asked).usage
    assert (usage.output_tokens, usage.picture_output_tokens) == (1007, 1000)
    # What was drawn is billed apart and not told: half a count would be half a price.
    assert ask(fake_provider, "responses", asked).usage.output_tokens is None


def test_a_picture_costs_its_own_price() -> None:
    by_token = ModelCard(
        "m", "p", "f", input_per_mtok=5.0, output_per_mtok=10.0, picture_input_per_mtok=8.0,
        picture_output_per_mtok=32.0,
    )  # fmt: skip
    usage = Usage(
        input_tokens=1000, picture_input_tokens=800, output_tokens=1100, picture_output_tokens=1000
    )
    # 200 x 5 + 800 x 8 + 100 x 10 + 1,000 x 32 = 40,400 millionths.
    assert by_token.cost(usage) == pytest.approx(0.0404)
    # Without the split the price can't be told; without any tokens there is nothing to split.
    assert by_token.cost(Usage(input_tokens=1000, output_tokens=1100)) is None
    assert by_token.cost(Usage(input_tokens=0, output_tokens=0)) == 0.0
    by_picture = ModelCard("m", "p", "f", per_picture=0.04)
    assert by_picture.priced
    assert by_picture.cost(Usage(pictures=2)) == pytest.approx(0.08)
    assert by_picture.cost(Usage(input_tokens=10)) is None
    assert not ModelCard("m", "p", "f", input_per_mtok=1.0, per_picture=0.04).priced


def test_an_error_of_the_api_is_told_in_its_words(fake_provider: FakeProvider) -> None:
    broken = PicturePart(b"\x89PNG no picture", "picture")
    with pytest.raises(ProviderError, match="invalid_image_file") as e:
        ask(fake_provider, "pictures", picture_request(broken))
    assert e.value.kind == "bad_request"
