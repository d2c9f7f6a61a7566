"""Every provider against the fake one: what goes out, what comes back, what goes wrong."""

from __future__ import annotations

import asyncio
import hashlib
import json
import traceback
from dataclasses import replace
from typing import Any

import pytest

from redline.models import ProviderError, Reply, Request, Settings, open_model
from redline.models.remote import SCHEMA_REFUSED
from tests.fake_provider.fixture import FakeProvider
from tests.models.making import (
    APIS,
    CODE,
    SECRET,
    edit_request,
    judge_request,
    model,
    picture,
    picture_request,
    real_picture,
)


def ask(
    provider: FakeProvider, api: str, request: Request, settings: Settings | None = None, **how: Any
) -> Reply:
    async def once() -> Reply:
        m = model(provider, api, settings, **how)
        try:
            return await m.complete(request)
        finally:
            await m.close()

    return asyncio.run(once())


def fail(
    provider: FakeProvider, api: str, request: Request | None = None, **how: Any
) -> ProviderError:
    with pytest.raises(ProviderError) as e:
        ask(provider, api, request or edit_request(picture("original")), **how)
    return e.value


@pytest.mark.parametrize("api", APIS)
def test_pictures_arrive_byte_for_byte_under_their_labels(
    fake_provider: FakeProvider, api: str
) -> None:
    pictures = [picture("original"), replace(picture("instruction"), media_type="image/jpeg")]
    reply = ask(fake_provider, api, edit_request(*pictures))
    [call] = fake_provider.calls()
    assert call["pictures"] == [hashlib.sha256(p.data).hexdigest() for p in pictures]
    assert call["labels"] == ['Picture "original":', 'Picture "instruction":']
    assert call["media_types"] == ["image/png", "image/jpeg"]
    assert CODE in call["text"]
    assert call["acknowledged"]
    assert "```latex" in reply.text
    assert reply.finish == "stop"
    assert reply.model_id == "fake-1-fake"
    assert reply.usage.input_tokens == 120
    assert json.loads(reply.raw)


@pytest.mark.parametrize("api", APIS)
def test_a_schema_is_sent_and_its_json_comes_back(fake_provider: FakeProvider, api: str) -> None:
    reply = ask(fake_provider, api, judge_request())
    assert json.loads(reply.text)["score"] in range(1, 6)
    [call] = fake_provider.calls()
    score = call["schema"]["properties"]["score"]
    if api == "anthropic":
        assert score == {"type": "integer", "enum": [1, 2, 3, 4, 5]}
    else:
        assert score == {"type": "integer", "minimum": 1, "maximum": 5}


@pytest.mark.parametrize("api", APIS)
def test_a_refused_schema_is_given_up_and_the_reply_says_so(
    fake_provider: FakeProvider, api: str
) -> None:
    fake_provider.faults("schema_refused")
    reply = ask(fake_provider, api, judge_request())
    assert SCHEMA_REFUSED in reply.notes
    assert [c["schema"] is None for c in fake_provider.calls()] == [False, True]


def _document(provider: FakeProvider, api: str, settings: Settings, name: str = "fake-1") -> Any:
    ask(provider, api, edit_request(), settings, name=name)
    return provider.calls()[-1]["document"]


def test_settings_take_each_providers_own_words(fake_provider: FakeProvider) -> None:
    s = Settings(temperature=0.5, max_tokens=9000, seed=7)
    sent = _document(fake_provider, "openai", s)
    assert (sent["temperature"], sent["max_completion_tokens"], sent["seed"]) == (0.5, 9000, 7)
    sent = _document(fake_provider, "server", s)
    assert sent["max_tokens"] == 9000
    assert "max_completion_tokens" not in sent
    sent = _document(fake_provider, "google", s)
    assert sent["generationConfig"] == {"temperature": 0.5, "maxOutputTokens": 9000, "seed": 7}
    sent = _document(fake_provider, "anthropic", s)
    assert (sent["temperature"], sent["max_tokens"]) == (0.5, 9000)
    assert "seed" not in sent


@pytest.mark.parametrize("api", [*APIS, "server", "openrouter", "ollama"])
def test_defaults_are_the_providers(fake_provider: FakeProvider, api: str) -> None:
    sent = _document(fake_provider, api, Settings())
    assert set(sent) <= {
        "model", "messages", "contents", "systemInstruction", "system", "max_tokens",
    }  # fmt: skip
    assert ("max_tokens" in sent) == (api == "anthropic")


@pytest.mark.parametrize(
    ("api", "name", "on", "off"),
    [
        ("openai", "gpt-5.4", {"reasoning_effort": "medium"}, {"reasoning_effort": "none"}),
        ("openrouter", "q", {"reasoning": {"enabled": True}}, {"reasoning": {"enabled": False}}),
        (
            "server", "Qwen3.5-4B",
            {"chat_template_kwargs": {"enable_thinking": True}},
            {"chat_template_kwargs": {"enable_thinking": False}},
        ),
        (
            "google", "gemini-3-flash-preview",
            {"generationConfig": {
                "thinkingConfig": {"thinkingLevel": "high", "includeThoughts": True}}},
            {"generationConfig": {"thinkingConfig": {"thinkingLevel": "minimal"}}},
        ),
        (
            "google", "gemini-3.1-pro-preview",
            {"generationConfig": {
                "thinkingConfig": {"thinkingLevel": "high", "includeThoughts": True}}},
            {"generationConfig": {"thinkingConfig": {"thinkingLevel": "low"}}},
        ),
        (
            "google", "gemini-2.5-flash",
            {"generationConfig": {
                "thinkingConfig": {"thinkingBudget": -1, "includeThoughts": True}}},
            {"generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}},
        ),
        (
            "anthropic", "claude-opus-4-6",
            {"thinking": {"type": "adaptive"}}, {"thinking": {"type": "disabled"}},
        ),
        (
            "anthropic", "claude-sonnet-4-5-20250929",
            {"thinking": {"type": "enabled", "budget_tokens": 8192}},
            {"thinking": {"type": "disabled"}},
        ),
        (
            "anthropic", "claude-opus-4-20250514",
            {"thinking": {"type": "enabled", "budget_tokens": 8192}},
            {"thinking": {"type": "disabled"}},
        ),
    ],
)  # fmt: skip
def test_thinking_is_switched_in_each_providers_words(
    fake_provider: FakeProvider, api: str, name: str, on: dict[str, Any], off: dict[str, Any]
) -> None:
    for said, words in (("on", on), ("off", off)):
        sent = _document(fake_provider, api, Settings(thinking=said), name)  # type: ignore[arg-type]
        assert {k: sent.get(k) for k in words} == words


def test_thinking_that_can_not_be_switched_off_is_noted(fake_provider: FakeProvider) -> None:
    reply = ask(
        fake_provider, "google", edit_request(), Settings(thinking="off"), name="gemini-3.1-pro"
    )
    assert any("can't be switched off" in n for n in reply.notes)


@pytest.mark.parametrize("api", APIS)
def test_thinking_comes_back_beside_the_text(fake_provider: FakeProvider, api: str) -> None:
    fake_provider.answers({"text": "done", "thinking": "hm"})
    reply = ask(fake_provider, api, edit_request())
    assert (reply.text, reply.thinking) == ("done", "hm")


@pytest.mark.parametrize("api", APIS)
def test_extra_body_is_laid_over_the_request(fake_provider: FakeProvider, api: str) -> None:
    extra = {"generationConfig": {"topK": 3}, "model": "other"}
    sent = _document(fake_provider, api, Settings(temperature=0.1, extra_body=extra))
    assert sent["model"] == "other"
    assert sent["generationConfig"]["topK"] == 3
    assert (sent["generationConfig"] if api == "google" else sent)["temperature"] == 0.1


def test_a_picture_asked_of_a_text_model_and_the_reverse_is_a_bad_request(
    fake_provider: FakeProvider,
) -> None:
    wanted = replace(edit_request(picture("original")), want="picture")
    assert fail(fake_provider, "anthropic", wanted).kind == "bad_request"
    assert fail(fake_provider, "pictures", edit_request(picture("original"))).kind == "bad_request"
    assert fake_provider.calls() == []


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("429", "rate_limit"), ("500", "transient"), ("503", "transient"), ("529", "transient"),
        ("408", "transient"), ("401", "auth"), ("403", "auth"), ("404", "not_found"),
        ("400", "bad_request"), ("413", "bad_request"), ("quota", "quota"), ("cut", "transient"),
        ("drop", "transient"), ("not_json", "transient"), ("empty", "transient"),
        ("error_200", "transient"),
    ],
)  # fmt: skip
def test_a_fault_becomes_its_kind_of_error_after_one_attempt(
    fake_provider: FakeProvider, api: str, fault: str, kind: str
) -> None:
    fake_provider.faults(fault)
    error = fail(fake_provider, api)
    assert error.kind == kind
    assert str(error).endswith((".", "!", "?", "…"))
    [call] = fake_provider.calls()
    assert call["acknowledged"] == (fault not in ("cut", "drop"))


@pytest.mark.parametrize("api", APIS)
def test_what_the_server_asks_to_wait_is_passed_on(fake_provider: FakeProvider, api: str) -> None:
    fake_provider.faults({"fault": "429", "retry_after": 3})
    assert fail(fake_provider, api).retry_after_s == 3
    fake_provider.faults({"fault": "503", "headers": {"retry-after-ms": "1500"}})
    assert fail(fake_provider, api).retry_after_s == 1.5
    fake_provider.faults("429")
    assert fail(fake_provider, api).retry_after_s is None


@pytest.mark.parametrize(
    ("code", "kind"), [(429, "rate_limit"), (402, "quota"), (401, "auth"), (400, "transient")]
)
def test_an_error_inside_a_200_counts_by_its_code(
    fake_provider: FakeProvider, code: int, kind: str
) -> None:
    fake_provider.faults({"fault": "error_200", "code": code})
    assert fail(fake_provider, "openai").kind == kind


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("fault", ["refusal", "content_filter", "length"])
def test_how_a_reply_ended_is_told_apart(fake_provider: FakeProvider, api: str, fault: str) -> None:
    fake_provider.faults(fault)
    reply = ask(fake_provider, api, edit_request(picture("original")))
    expected = {
        # Gemini has no word for a refusal, Anthropic none for a filter.
        ("google", "refusal"): "stop",
        ("anthropic", "content_filter"): "refusal",
    }.get((api, fault), fault)
    assert reply.finish == expected


def test_the_filter_of_a_provider_that_answers_400_is_a_reply_not_a_fault(
    fake_provider: FakeProvider,
) -> None:
    fake_provider.faults("filtered_400")
    assert ask(fake_provider, "openai", edit_request()).finish == "content_filter"


@pytest.mark.parametrize("api", APIS)
def test_an_empty_reply_is_a_reply_without_text(fake_provider: FakeProvider, api: str) -> None:
    fake_provider.faults("empty_content")
    reply = ask(fake_provider, api, edit_request())
    assert (reply.text, reply.pictures, reply.finish) == ("", (), "stop")


@pytest.mark.parametrize("api", APIS)
def test_a_call_that_takes_too_long_is_given_up(fake_provider: FakeProvider, api: str) -> None:
    fake_provider.faults({"fault": "slow", "seconds": 30})
    error = fail(fake_provider, api, settings=Settings(timeout_s=0.3))
    assert error.kind == "transient"
    assert "0.3 s" in str(error)


@pytest.mark.parametrize("api", APIS)
def test_a_redirect_is_never_followed(fake_provider: FakeProvider, api: str) -> None:
    fake_provider.faults(
        {"fault": "redirect", "location": f"{fake_provider.url}/v1/elsewhere", "times": 1}
    )
    error = fail(fake_provider, api)
    assert error.kind == "not_found"
    assert "/v1/elsewhere" in str(error)
    assert len(fake_provider.calls()) == 1


def test_a_host_that_is_not_there_is_unreachable(fake_provider: FakeProvider) -> None:
    for address in ("http://127.0.0.1:9/v1", "http://no-such-host.invalid/v1"):

        async def once(address: str = address) -> None:
            m = open_model(f"{address}#m", Settings(timeout_s=10), env={})
            try:
                await m.complete(edit_request())
            finally:
                await m.close()

        with pytest.raises(ProviderError) as e:
            asyncio.run(once())
        assert e.value.kind == "unreachable"
        assert e.value.retryable


def test_a_reply_beyond_the_limit_is_cut_off(
    fake_provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("redline.models.http.MAX_ANSWER_BYTES", 50_000)
    fake_provider.answers({"text": "x" * 100_000})
    assert fail(fake_provider, "openai").kind == "bad_request"


# -- keys --


@pytest.mark.parametrize(
    ("api", "header"),
    [
        ("openai", "authorization"), ("google", "x-goog-api-key"), ("anthropic", "x-api-key"),
        ("pictures", "authorization"),
    ],
)  # fmt: skip
def test_the_key_goes_into_its_header_and_nowhere_else(
    fake_provider: FakeProvider, api: str, header: str
) -> None:
    if api == "pictures":
        ask(fake_provider, api, picture_request(real_picture("picture")))
    else:
        ask(fake_provider, api, edit_request(picture("original")))
    [call] = fake_provider.calls()
    assert SECRET in call["headers"].pop(header)
    assert SECRET not in json.dumps(call)


def test_a_server_named_by_address_gets_a_key_only_where_one_is_named(
    fake_provider: FakeProvider,
) -> None:
    env = {"OPENAI_API_KEY": SECRET, "MY_KEY": "sk-my-own-key-42"}
    for key_env in (None, "MY_KEY"):

        async def once(key_env: str | None = key_env) -> None:
            m = open_model(fake_provider.model(), Settings(), key_env=key_env, env=env)
            await m.complete(edit_request())
            await m.close()

        asyncio.run(once())
    without, with_key = fake_provider.calls()
    assert "authorization" not in without["headers"]
    assert with_key["headers"]["authorization"] == "Bearer sk-my-own-key-42"
    assert SECRET not in json.dumps([without, with_key])


def _everything(error: BaseException) -> str:
    """All a traceback, a log or a debugger that prints arguments could show of an error."""
    seen: list[str] = []
    todo: list[BaseException | None] = [error]
    while todo:
        e = todo.pop()
        if e is not None:
            seen += [repr(e), str(e), repr(e.args), repr(vars(e))]
            seen += [repr(vars(v)) for v in vars(e).values() if hasattr(v, "__dict__")]
            todo += [e.__cause__, e.__context__]
    seen += traceback.format_exception(error)
    return "\n".join(seen)


@pytest.mark.parametrize("api", APIS)
def test_a_reply_that_says_two_things_under_one_key_says_nothing(
    fake_provider: FakeProvider, api: str
) -> None:
    good = ask(fake_provider, api, edit_request(picture("original"))).raw.decode()
    assert good.startswith("{")
    fake_provider.faults({"fault": "raw", "body": f"{good[:-1]}, {good[1:]}"})
    error = fail(fake_provider, api)
    assert error.kind == "transient" and "a key given twice" in str(error)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    "fault", ["echo", "cut", "drop", "401", "empty", "not_json", "slow", "redirect"]
)
def test_no_error_shows_the_key(fake_provider: FakeProvider, api: str, fault: str) -> None:
    fake_provider.faults(
        {"fault": fault, "location": f"http://h/?key={SECRET}", "message": f"bad {SECRET}",
         "seconds": 9}
    )  # fmt: skip
    error = fail(fake_provider, api, settings=Settings(timeout_s=0.5))
    shown = _everything(error)
    assert SECRET not in shown
    assert "very/secret" not in shown
    assert error.__context__ is None


@pytest.mark.parametrize("api", APIS)
def test_a_model_shows_its_name_and_no_key(fake_provider: FakeProvider, api: str) -> None:
    m = model(fake_provider, api)
    assert repr(m) == f"<model {m.name}>"
    assert SECRET not in repr(vars(m)) + str(vars(m))
    asyncio.run(m.close())


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("escaped", [False, True])
def test_a_key_that_a_reply_repeats_is_blotted_out(
    fake_provider: FakeProvider, api: str, escaped: bool
) -> None:
    said = "".join(f"\\u{ord(c):04x}" for c in SECRET) if escaped else SECRET
    bodies = {
        "openai": '{"model": "%s", "choices": [{"message": {"content": "your key: %s"}}]}',
        "google": (
            '{"modelVersion": "%s", "candidates": [{"content": {"parts": [{"text": "%s"}]}}]}'
        ),
        "anthropic": '{"model": "%s", "content": [{"type": "text", "text": "your key: %s"}]}',
    }
    fake_provider.faults({"fault": "raw", "body": bodies[api] % (said, said)})
    reply = ask(fake_provider, api, edit_request())
    assert "[key]" in reply.text
    assert SECRET not in repr(reply)
    assert SECRET not in json.dumps(json.loads(reply.raw))


# -- hostile and odd bodies --


def _raw(provider: FakeProvider, api: str, body: Any) -> Reply:
    text = body if isinstance(body, str) else json.dumps(body)
    provider.faults({"fault": "raw", "body": text})
    return ask(provider, api, edit_request())


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    "body",
    [
        "[]", "7", "null", '"text"', "{}", '{"choices": []}', '{"choices": [7]}',
        '{"choices": [{"message": null}]}', '{"candidates": []}', '{"candidates": [7]}',
        '{"content": 7}', '{"content": null}', "[" * 100_000, '{"a": ' * 50_000, "   ",
        '{"choices": {"0": {}}}', '{"type": "error", "error": {"message": "Overloaded"}}',
    ],
)  # fmt: skip
def test_a_body_that_is_no_reply_is_worth_another_try(
    fake_provider: FakeProvider, api: str, body: str
) -> None:
    fake_provider.faults({"fault": "raw", "body": body})
    assert fail(fake_provider, api, edit_request()).kind == "transient"


def _chat(message: dict[str, Any], reason: Any = "stop") -> dict[str, Any]:
    return {"choices": [{"message": message, "finish_reason": reason}]}


def test_content_may_be_a_list_of_parts(fake_provider: FakeProvider) -> None:
    parts = [{"type": "text", "text": "a"}, 7, {"type": "text", "text": "b"}, {"text": None}]
    assert _raw(fake_provider, "openai", _chat({"content": parts})).text == "ab"
    refusal = [{"type": "refusal", "refusal": "no"}]
    reply = _raw(fake_provider, "openai", _chat({"content": refusal}))
    assert (reply.finish, reply.text) == ("refusal", "no")


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_reasoning_is_kept_under_either_name(fake_provider: FakeProvider, name: str) -> None:
    assert _raw(fake_provider, "openai", _chat({"content": "a", name: "hm"})).thinking == "hm"


def test_a_lone_surrogate_does_not_survive(fake_provider: FakeProvider) -> None:
    reply = _raw(fake_provider, "openai", '{"choices": [{"message": {"content": "a\\ud800b"}}]}')
    assert reply.text.encode()
    assert (reply.text[0], reply.text[-1]) == ("a", "b")


def test_a_picture_given_by_address_is_not_fetched(fake_provider: FakeProvider) -> None:
    images = [
        {"image_url": {"url": f"{fake_provider.url}/_calls"}},
        {"image_url": {"url": "file:///etc/passwd"}},
        {"image_url": {"url": "data:image/png;base64,!!"}},
        {"image_url": {"url": "data:image/svg+xml,<svg/>"}},
        {"image_url": {"url": "data:image/png;base64,YWJj"}},
        {"image_url": 7},
    ]
    reply = _raw(fake_provider, "openai", _chat({"content": "", "images": images}))
    assert reply.pictures == (b"abc",)
    assert any("not fetched" in n for n in reply.notes)
    assert len(fake_provider.calls()) == 1


def test_counts_that_are_no_counts_are_unknown(fake_provider: FakeProvider) -> None:
    body = {**_chat({"content": "a"}), "usage": {"prompt_tokens": "7", "completion_tokens": -1}}
    usage = _raw(fake_provider, "openai", body).usage
    assert (usage.input_tokens, usage.output_tokens) == (None, None)


def test_gemini_counts_thinking_as_output(fake_provider: FakeProvider) -> None:
    body = {
        "candidates": [{"content": {"parts": [{"text": "a"}]}, "finishReason": "STOP"}],
        "usageMetadata": {
            "promptTokenCount": 10, "candidatesTokenCount": 5, "thoughtsTokenCount": 70,
        },
    }  # fmt: skip
    usage = _raw(fake_provider, "google", body).usage
    assert (usage.input_tokens, usage.output_tokens, usage.thinking_tokens) == (10, 75, 70)


def test_anthropic_counts_cached_input_as_input(fake_provider: FakeProvider) -> None:
    body = {
        "content": [], "stop_reason": "end_turn",
        "usage": {"input_tokens": 10, "cache_read_input_tokens": 100,
                  "cache_creation_input_tokens": 1000, "output_tokens": 3},
    }  # fmt: skip
    usage = _raw(fake_provider, "anthropic", body).usage
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens) == (1110, 3, 100)


def test_a_prompt_that_gemini_blocks_is_content_filtered(fake_provider: FakeProvider) -> None:
    reply = _raw(fake_provider, "google", {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})
    assert reply.finish == "content_filter"
    assert "blocked: PROHIBITED_CONTENT" in reply.notes


def test_gemini_drafts_made_while_thinking_are_not_the_picture(fake_provider: FakeProvider) -> None:
    parts = [
        {"thought": True, "inlineData": {"mimeType": "image/png", "data": "ZHJhZnQ="}},
        {"inlineData": {"mimeType": "image/png", "data": "ZmluYWw="}},
    ]
    body = {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}
    assert _raw(fake_provider, "google", body).pictures == (b"final",)


# -- many at once --


def test_sixty_four_calls_run_at_once_and_each_gets_its_own_reply(
    fake_provider: FakeProvider,
) -> None:
    fake_provider.answers(*({"contains": f"<{i}>", "text": f"reply {i}"} for i in range(64)))
    fake_provider.faults({"fault": "slow", "seconds": 0.5})
    shared = picture("original", 200_000)

    def request(i: int) -> Request:
        r = edit_request(shared, picture("instruction", 1000))
        return replace(r, system=f"<{i}>")

    async def all_at_once() -> list[Reply]:
        m = model(fake_provider, "openai")
        try:
            return await asyncio.gather(*(m.complete(request(i)) for i in range(64)))
        finally:
            await m.close()

    replies = asyncio.run(all_at_once())
    assert [r.text for r in replies] == [f"reply {i}" for i in range(64)]
    assert fake_provider.stats()["most_open"] == 64


def test_connections_are_kept_and_used_again(fake_provider: FakeProvider) -> None:
    async def in_turn() -> None:
        m = model(fake_provider, "openai")
        for _ in range(5):
            await m.complete(edit_request())
        await m.close()

    before = fake_provider.stats()["connections"]
    asyncio.run(in_turn())
    # One for the calls and one for each of the two questions about them.
    assert fake_provider.stats()["connections"] - before == 2


def test_a_model_goes_on_after_a_broken_and_a_cancelled_call(fake_provider: FakeProvider) -> None:
    fake_provider.faults(
        {"fault": "cut", "calls": [0]}, {"fault": "slow", "seconds": 30, "calls": [1]}
    )

    async def three() -> Reply:
        m = model(fake_provider, "openai")
        with pytest.raises(ProviderError):
            await m.complete(edit_request())
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(m.complete(edit_request()), 0.3)
        try:
            return await m.complete(edit_request())
        finally:
            await m.close()

    assert "```latex" in asyncio.run(three()).text
    assert [c["acknowledged"] for c in fake_provider.calls()] == [False, False, True]
