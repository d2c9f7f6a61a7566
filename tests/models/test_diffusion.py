"""`diffusers/...`: every pipeline that is claimed, with small random weights on the CPU."""

from __future__ import annotations

import asyncio
import io
import json
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from redline.models import (
    Message,
    ModelNameError,
    PicturePart,
    ProviderError,
    Reply,
    Request,
    Settings,
    TextPart,
    open_model,
    program_identity,
)
from redline.models.diffusion.adapters import ADAPTERS
from redline.models.diffusion.model import DiffusionModel
from redline.models.diffusion.pipeline import Pipeline
from redline.models.diffusion.settings import DiffusionError
from tests.models import tiny_pipelines

# numpy about a tensor that a scheduler of diffusers turns into an array
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")

PIX2PIX, QWEN = "StableDiffusionInstructPix2PixPipeline", "QwenImageEditPipeline"
PLUS, KONTEXT = "QwenImageEditPlusPipeline", "FluxKontextPipeline"
FILL, FLUX2, KLEIN = "FluxFillPipeline", "Flux2Pipeline", "Flux2KleinPipeline"
SIZE = 64


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The folder of a tiny pipeline, made once."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("diffusers")
    torch.set_num_threads(1)
    made: dict[str, Path] = {}

    def get(pipeline: str) -> Path:
        if pipeline not in made:
            folder = tmp_path_factory.mktemp(pipeline)
            made[pipeline] = tiny_pipelines.save(pipeline, folder)
        return made[pipeline]

    return get


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pipelines that bring every picture to a megapixel bring it to 64 x 64 here: the real ones
    would take minutes."""
    from diffusers.pipelines.flux import pipeline_flux_kontext as kontext
    from diffusers.pipelines.qwenimage import pipeline_qwenimage_edit as qwen
    from diffusers.pipelines.qwenimage import pipeline_qwenimage_edit_plus as plus

    for module in (qwen, plus):
        real = module.calculate_dimensions
        monkeypatch.setattr(
            module, "calculate_dimensions", lambda _, ratio, real=real: real(SIZE * SIZE, ratio)
        )
    monkeypatch.setattr(kontext, "PREFERRED_KONTEXT_RESOLUTIONS", [(SIZE, SIZE)])


def _png(seed: int | None, width: int = SIZE, height: int = SIZE) -> bytes:
    """A picture of noise, or a black one."""
    shape = (height, width, 3)
    noise = np.zeros(shape) if seed is None else np.random.default_rng(seed).integers(0, 256, shape)
    out = io.BytesIO()
    Image.fromarray(noise.astype(np.uint8)).save(out, "PNG")
    return out.getvalue()


def _request(words: str = "make it red", *pictures: bytes, system: str = "") -> Request:
    parts = [PicturePart(p, f"picture {i}") for i, p in enumerate(pictures or (_png(1),))]
    return Request((Message("user", (*parts, TextPart(words))),), system=system, want="picture")


def _config(folder: Path, weights: Path, **more: str) -> Path:
    path = folder / "config.toml"
    lines = "\n".join(f"{k} = {json.dumps(v)}" for k, v in more.items())
    path.write_text(f'[diffusers.tiny]\npath = "{weights}"\n{lines}\n')
    return path


def _open(config: Path, seed: int | None = 1, timeout_s: float = 600, **own: Any) -> DiffusionModel:
    settings = Settings(seed=seed, timeout_s=timeout_s, extra_body={"steps": 1, **own})
    model = open_model("diffusers/local:tiny", settings, config=config, env={})
    assert isinstance(model, DiffusionModel)
    return model


def _ask(model: DiffusionModel, *requests: Request) -> list[Reply]:
    async def all_at_once() -> list[Reply]:
        try:
            return await asyncio.gather(*(model.complete(r) for r in requests))
        finally:
            await model.close()

    return asyncio.run(all_at_once())


def _pixels(reply: Reply) -> np.ndarray[Any, Any]:
    (picture,) = reply.pictures
    return np.asarray(Image.open(io.BytesIO(picture))).astype(int)


def _own_call(pipeline: str, folder: Path, picture: Image.Image) -> np.ndarray[Any, Any]:
    """What diffusers itself gives when it is called as its documentation shows."""
    import diffusers
    import torch

    parts: dict[str, Any] = {}
    if pipeline in (QWEN, PLUS):
        from transformers import AutoTokenizer, Qwen2VLImageProcessorPil

        from redline.models.diffusion.still_pictures import StillPictureProcessor

        here = folder / "processor"
        parts["processor"] = StillPictureProcessor(
            Qwen2VLImageProcessorPil.from_pretrained(here), AutoTokenizer.from_pretrained(here)
        )
    if pipeline == FLUX2:
        parts["tokenizer"] = None
    pipe = getattr(diffusers, pipeline).from_pretrained(folder, **parts)
    if pipeline == FLUX2:
        from transformers import AutoTokenizer

        pipe.tokenizer = AutoTokenizer.from_pretrained(folder / "tokenizer")
    pipe.set_progress_bar_config(disable=True)
    words, how = "make it red", {"num_inference_steps": 1}
    seeded = torch.Generator("cpu").manual_seed(1)
    sides = {"width": SIZE, "height": SIZE}
    wide = Image.new("RGB", (2 * SIZE, SIZE))
    wide.paste(picture, (0, 0))
    right = Image.new("L", wide.size)
    right.paste(255, (SIZE, 0, 2 * SIZE, SIZE))
    diptych = (
        "A diptych with two side-by-side images of the same scene. On the right, the scene is "
        "exactly the same as on the left but make it red"
    )
    calls: Mapping[str, Mapping[str, Any]] = {
        PIX2PIX: {"image": picture},
        QWEN: {"image": picture, "negative_prompt": " ", "true_cfg_scale": 4.0, **sides},
        PLUS: {"image": [picture], "negative_prompt": " ", "true_cfg_scale": 4.0, **sides},
        KONTEXT: {"image": picture, "max_area": SIZE * SIZE, **sides},
        FILL: {
            "image": wide, "mask_image": right, "guidance_scale": 50.0, "height": SIZE,
            "width": 2 * SIZE, "prompt": diptych,
        },
        FLUX2: {"image": [picture], **sides},
        KLEIN: {"image": [picture], **sides},
    }  # fmt: skip
    said = {"prompt": words, **how, **calls[pipeline]}
    out = np.asarray(pipe(**said, generator=seeded).images[0]).astype(int)
    return out[:, SIZE:] if pipeline == FILL else out


@pytest.mark.parametrize("pipeline", ADAPTERS)
def test_an_edit_is_what_diffusers_itself_gives_and_follows_words_picture_and_seed(
    saved: Any, small: None, tmp_path: Path, pipeline: str
) -> None:
    folder = saved(pipeline)
    config = _config(tmp_path, folder)
    first, again, other_words, other_picture = _ask(
        _open(config, size=f"{SIZE}x{SIZE}"),
        _request(),
        _request(),
        _request("turn all of it into a drawing in blue ink"),
        _request("make it red", _png(None)),
    )
    (other_seed,) = _ask(_open(config, seed=2, size=f"{SIZE}x{SIZE}"), _request())
    expected = _own_call(pipeline, folder, Image.open(io.BytesIO(_png(1))))
    assert np.array_equal(_pixels(first), expected)
    assert first.pictures == again.pictures
    for other in (other_words, other_picture, other_seed):
        assert not np.array_equal(_pixels(other), _pixels(first))
    assert (first.usage.pictures, first.finish, first.text) == (1, "stop", "")


def test_every_pipeline_that_is_claimed_is_tried_here() -> None:
    assert set(ADAPTERS) == set(tiny_pipelines.MAKERS)


@pytest.mark.parametrize("pipeline", [PIX2PIX, FILL])
def test_neither_batch_nor_order_changes_an_edit(
    saved: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pipeline: str
) -> None:
    sizes: list[int] = []
    real = Pipeline.edit

    def edit(self: Pipeline, edits: Any, *rest: Any) -> Any:
        sizes.append(len(edits))
        return real(self, edits, *rest)

    monkeypatch.setattr(Pipeline, "edit", edit)
    config = _config(tmp_path, saved(pipeline))
    requests = [_request(words, _png(i)) for i, words in enumerate(("red", "blue", "a cat", "x"))]
    single = _ask(_open(config, size="64"), *requests)
    batched = _ask(_open(config, size="64", batch=4), *reversed(requests))
    assert sizes == [1, 1, 1, 1, 4]
    # Kernels sum in another order for another batch: no more than rounding.
    for one, other in zip(single, reversed(batched), strict=True):
        assert np.abs(_pixels(one) - _pixels(other)).max() <= 1


def test_a_batch_holds_pictures_of_one_size_only(saved: Any, tmp_path: Path) -> None:
    config = _config(tmp_path, saved(PIX2PIX))
    wide, tall = _png(1, 64, 32), _png(1, 32, 64)
    replies = _ask(_open(config, batch=3), *(_request("red", p) for p in (wide, tall, wide, tall)))
    assert [_pixels(r).shape[:2] for r in replies] == [(32, 64), (64, 32)] * 2
    assert replies[0].pictures == replies[2].pictures


def test_the_record_of_an_edit_holds_all_it_was_made_with(saved: Any, tmp_path: Path) -> None:
    config = _config(tmp_path, saved(PIX2PIX))
    (reply,) = _ask(_open(config, guidance=3.5, dtype="bfloat16"), _request(system="Be brief."))
    told = json.loads(reply.raw)
    assert told["arguments"] == {
        # Ours, and the pipeline's own defaults (diffusers 0.42 documents these).
        "num_inference_steps": 1, "guidance_scale": 3.5, "image_guidance_scale": 1.5, "eta": 0.0,
        "num_images_per_prompt": 1,
    }  # fmt: skip
    assert told["prompt"] == "Be brief.\n\nmake it red"
    assert (told["seed"], told["dtype"], told["device"]) == (1, "bfloat16", "cpu")
    assert told["scheduler"]["class"] == "EulerAncestralDiscreteScheduler"
    assert told["scheduler"]["config"]["beta_schedule"] == "scaled_linear"
    assert set(told["versions"]) == {"diffusers", "transformers", "torch"}
    identity = program_identity("diffusers/local:tiny", config=config, env={})
    assert identity == f"{PIX2PIX} local:tiny@{told['weights']['revision']}"
    assert reply.model_id == f"local:tiny@{told['weights']['revision'][:12]}"
    assert str(tmp_path) not in reply.raw.decode() + identity


def test_without_a_seed_every_call_draws_its_own_and_tells_it(saved: Any, tmp_path: Path) -> None:
    config = _config(tmp_path, saved(PIX2PIX))
    one, two = _ask(_open(config, seed=None), _request(), _request())
    assert one.pictures != two.pictures
    (again,) = _ask(_open(config, seed=json.loads(one.raw)["seed"]), _request())
    assert again.pictures == one.pictures


def test_a_picture_keeps_its_shape(saved: Any, small: None, tmp_path: Path) -> None:
    kontext = _open(_config(tmp_path, saved(KONTEXT)), size="96")
    assert _pixels(_ask(kontext, _request("red", _png(1, 96, 48)))[0]).shape == (48, 96, 3)
    diptych = _open(_config(tmp_path, saved(FILL)), size="96")
    assert _pixels(_ask(diptych, _request("red", _png(1, 96, 48)))[0]).shape == (48, 96, 3)


def test_a_diptych_has_panels_of_512_pixels_where_no_size_is_given() -> None:
    import importlib

    adapters = importlib.import_module("redline.models.diffusion.adapters")
    settings = importlib.import_module("redline.models.diffusion.settings").DiffusionSettings()
    edit = adapters.Edit("red", (Image.new("RGB", (1000, 600)),), 0)
    said = ADAPTERS[FILL].call([edit], settings)
    # 512 wide and 307 high, rounded down to whole patches of 16 pixels.
    assert (said["width"], said["height"], said["image"][0].size) == (1024, 304, (1024, 304))
    assert (said["num_inference_steps"], said["guidance_scale"]) == (28, 50.0)


def test_several_pictures_go_in_and_the_first_gives_the_shape(
    saved: Any, small: None, tmp_path: Path
) -> None:
    model = _open(_config(tmp_path, saved(PLUS)), size="64x64")
    two, one = _ask(model, _request("red", _png(1), _png(2)), _request("red", _png(1)))
    assert not np.array_equal(_pixels(one), _pixels(two))
    said = ADAPTERS[PLUS].call([_edit(_png(1, 200, 100), _png(2, 100, 200))], _own_settings())
    assert (said["width"], said["height"]) == (1440, 736)


def _edit(*pictures: bytes) -> Any:
    from redline.models.diffusion.adapters import Edit

    return Edit("red", tuple(Image.open(io.BytesIO(p)) for p in pictures), 0)


def _own_settings() -> Any:
    from redline.models.diffusion.settings import DiffusionSettings

    return DiffusionSettings()


def test_lora_weights_change_the_edit_and_the_identity(saved: Any, tmp_path: Path) -> None:
    pytest.importorskip("peft")
    lora = tiny_pipelines.save_lora(tmp_path / "lora")
    plain = _config(tmp_path, saved(FILL))
    (without,) = _ask(_open(plain, size="64"), _request())
    before = program_identity("diffusers/local:tiny", config=plain, env={})
    laid_over = _config(tmp_path, saved(FILL), lora=str(lora))
    (with_it,) = _ask(_open(laid_over, size="64"), _request())
    after = program_identity("diffusers/local:tiny", config=laid_over, env={})
    assert not np.array_equal(_pixels(without), _pixels(with_it))
    assert after.startswith(f"{before} + lora of local:tiny@")
    assert json.loads(with_it.raw)["lora"]["name"] == "lora of local:tiny"


def test_other_weights_in_the_same_folder_are_another_model(saved: Any, tmp_path: Path) -> None:
    import shutil

    folder = tmp_path / "weights"
    shutil.copytree(saved(KONTEXT), folder)
    config = _config(tmp_path, folder)
    before = program_identity("diffusers/local:tiny", config=config, env={})
    assert before == program_identity("diffusers/local:tiny", config=config, env={})
    weights = folder / "transformer" / "diffusion_pytorch_model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-100] ^= 1
    weights.write_bytes(data)
    assert before != program_identity("diffusers/local:tiny", config=config, env={})


# -- what goes wrong --


def _fails(model: DiffusionModel, request: Request) -> ProviderError:
    with pytest.raises(ProviderError) as e:
        _ask(model, request)
    assert str(e.value).endswith(".")
    return e.value


def test_a_request_that_a_pipeline_can_not_do_is_a_bad_request(saved: Any, tmp_path: Path) -> None:
    config = _config(tmp_path, saved(PIX2PIX))
    text = Request((Message("user", (TextPart("red"), PicturePart(_png(1), "picture"))),))
    assert _fails(_open(config), text).kind == "bad_request"
    no_picture = Request((Message("user", (TextPart("red"),)),), want="picture")
    assert "a picture" in str(_fails(_open(config), no_picture))
    two = _fails(_open(config), _request("red", _png(1), _png(2)))
    assert "takes at most 1" in str(two)
    cut = _fails(_open(config), _request("red", _png(1)[:200]))
    assert "damaged or cut off" in str(cut)


def test_an_edit_that_the_safety_checker_blacks_out_is_filtered_and_no_black_picture(
    saved: Any, tmp_path: Path
) -> None:
    folder = tiny_pipelines.with_safety_checker(saved(PIX2PIX), tmp_path / "checked")
    config = _config(tmp_path, folder)
    (reply,) = _ask(_open(config), _request())
    assert (reply.finish, reply.pictures) == ("content_filter", ())
    assert json.loads(reply.raw)["safety_checker"] is True
    (reply,) = _ask(_open(config, safety_checker=False), _request())
    assert reply.finish == "stop"
    assert json.loads(reply.raw)["safety_checker"] is False


def test_numbers_that_are_none_are_an_error_and_no_black_picture(
    saved: Any, tmp_path: Path
) -> None:
    folder = tiny_pipelines.with_nan(saved(FILL), tmp_path / "broken")
    error = _fails(_open(_config(tmp_path, folder), size="64"), _request())
    assert error.kind == "bad_request"
    assert "NaN" in str(error)


def test_an_edit_that_takes_too_long_is_given_up(saved: Any, tmp_path: Path) -> None:
    model = _open(_config(tmp_path, saved(PIX2PIX)), timeout_s=0.001, steps=50)
    error = _fails(model, _request())
    assert error.kind == "transient"
    assert "0.001 s" in str(error)


def test_a_cancelled_edit_ends_after_its_step_and_the_model_goes_on(
    saved: Any, tmp_path: Path
) -> None:
    model = _open(_config(tmp_path, saved(PIX2PIX)), steps=1000)

    async def give_up() -> Reply:
        task = asyncio.ensure_future(model.complete(_request("slow")))
        await asyncio.to_thread(model.editing.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        object.__setattr__(model._own, "steps", 1)
        try:
            return await asyncio.wait_for(model.complete(_request()), 60)
        finally:
            await model.close()

    assert asyncio.run(give_up()).pictures


def test_closing_ends_the_thread_and_the_calls_that_still_wait(saved: Any, tmp_path: Path) -> None:
    model = _open(_config(tmp_path, saved(PIX2PIX)), steps=1000)

    async def close_early() -> list[Any]:
        calls = [asyncio.ensure_future(model.complete(_request(str(i)))) for i in range(3)]
        await asyncio.to_thread(model.editing.wait)
        await model.close()
        return await asyncio.gather(*calls, return_exceptions=True)

    ended = asyncio.run(close_early())
    assert [type(e) for e in ended] == [ProviderError] * 3
    assert not any(t.name == model.name for t in threading.enumerate())


def test_a_pipeline_that_is_no_editor_is_a_sentence(tmp_path: Path) -> None:
    weights = tmp_path / "weights"
    weights.mkdir()
    for index, said in (
        ({"_class_name": "StableDiffusionPipeline"}, "can't call as an editor"),
        ({"_class_name": ["own_code", "Step1XEditPipeline"]}, "code of its own"),
    ):
        (weights / "model_index.json").write_text(json.dumps(index))
        with pytest.raises(DiffusionError, match=said) as e:
            _open(_config(tmp_path, weights))
        assert "command/NAME" in str(e.value)


def test_weights_that_can_not_be_loaded_stop_the_run(saved: Any, tmp_path: Path) -> None:
    weights = tmp_path / "weights"
    weights.mkdir()
    (weights / "model_index.json").write_text((saved(KONTEXT) / "model_index.json").read_text())
    error = _fails(_open(_config(tmp_path, weights)), _request())
    assert error.stops_run
    assert "can't be loaded" in str(error)


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ({"stepz": 3}, "no setting stepz"),
        ({"steps": "3"}, "steps"),
        ({"steps": 0}, "1 to 1000"),
        ({"guidance": -1}, "guidance"),
        ({"size": "64*64"}, "size"),
        ({"device": "tpu"}, "device"),
        ({"dtype": "int8"}, "dtype"),
        ({"batch": 0}, "batch"),
        ({"strength": 0.5}, "strength means nothing"),
        ({"offload": "disk"}, "offload"),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_loaded(
    saved: Any, tmp_path: Path, own: dict[str, Any], said: str
) -> None:
    with pytest.raises(DiffusionError, match=said):
        _open(_config(tmp_path, saved(PIX2PIX)), **own)


def test_settings_of_a_chat_and_of_another_pipeline_are_refused(saved: Any, tmp_path: Path) -> None:
    config = _config(tmp_path, saved(KONTEXT))
    for own in ({"image_guidance": 1.5}, {"batch": 2}, {"negative_prompt": "x"}):
        with pytest.raises(DiffusionError, match=KONTEXT):
            _open(config, **own)
    with pytest.raises(DiffusionError, match="temperature means nothing"):
        open_model("diffusers/local:tiny", Settings(temperature=1.0), config=config, env={})


def test_a_device_that_is_not_there_is_a_sentence(saved: Any, tmp_path: Path) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has CUDA")
    error = _fails(_open(_config(tmp_path, saved(PIX2PIX)), device="cuda"), _request())
    assert "has no cuda" in str(error)


@pytest.mark.parametrize("package", ["torch", "diffusers", "transformers"])
def test_without_the_packages_there_is_a_line_to_type(
    saved: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    import importlib.util

    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name == package else real(name, *a)
    )
    with pytest.raises(DiffusionError, match=r"pip install 'redline-bench\[diffusers\]'"):
        _open(_config(tmp_path, saved(PIX2PIX)))


@pytest.mark.parametrize("name", ["diffusers/Qwen", "diffusers/a/b/c", "diffusers/local:nobody"])
def test_a_name_that_means_no_weights_is_a_sentence(tmp_path: Path, name: str) -> None:
    config = tmp_path / "config.toml"
    config.write_text("")
    with pytest.raises(ModelNameError, match="diffusers"):
        open_model(name, Settings(), config=config, env={})


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('path = "/x"\nmodel = "a/b"', "either path"),
        ('pathh = "/x"', "no use for pathh"),
        ("path = 7", "path"),
        ('path = "/no/such/folder"', "no model_index.json"),
        ('path = "/x"\nrevision = "main"', "revision goes with model"),
    ],
)
def test_a_wrong_entry_of_the_configuration_is_a_sentence(
    tmp_path: Path, entry: str, said: str
) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f"[diffusers.tiny]\n{entry}\n")
    with pytest.raises(DiffusionError, match=said):
        _open(config)


# -- weights from the hub --

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The cache of a hub that can't be reached; its folder."""
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    yield tmp_path / "hub"


def test_weights_in_the_cache_are_pinned_to_their_commit_and_used_without_a_network(
    saved: Any, hub: Path
) -> None:
    import shutil

    home = hub / "models--owner--tiny"
    shutil.copytree(saved(PIX2PIX), home / "snapshots" / COMMIT)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(COMMIT)
    assert program_identity("diffusers/owner/tiny", env={}) == f"{PIX2PIX} owner/tiny@{COMMIT}"
    settings = Settings(seed=1, extra_body={"steps": 1})
    for name in ("diffusers/owner/tiny", f"diffusers/owner/tiny@{COMMIT}"):
        model = open_model(name, settings, env={})
        assert isinstance(model, DiffusionModel)
        (reply,) = _ask(model, _request())
        assert reply.model_id == f"owner/tiny@{COMMIT[:12]}"
        assert json.loads(reply.raw)["weights"] == {"name": "owner/tiny", "revision": COMMIT}


def test_weights_that_are_nowhere_are_a_sentence_with_the_line_to_type(hub: Path) -> None:
    with pytest.raises(DiffusionError, match="hf download owner/nowhere"):
        open_model("diffusers/owner/nowhere", Settings(), env={})


# -- in a run --


class _Edits:
    """A stage that has one picture edited a unit."""

    name = "generate"

    def units(self, done: Any) -> list[Any]:
        from redline.track import Unit

        return [Unit(words, "1") for words in ("red", "blue", "a cat")]

    async def run(self, unit: Any, context: Any) -> Any:
        from redline.track import Finished

        reply = await context.call("model", "edit", _request(unit.key))
        return Finished("ok", blobs={"picture": reply.pictures[-1]})


def test_a_run_keeps_what_every_picture_was_made_with_and_makes_none_twice(
    saved: Any, tmp_path: Path
) -> None:
    from redline.models import card
    from redline.run import RunFolder
    from tests.run.toy import run

    config = _config(tmp_path, saved(PIX2PIX))
    about = card("diffusers/local:tiny")
    model = _open(config, seed=5, batch=3)
    summary = run(tmp_path / "run", [_Edits()], model, card=about)
    asyncio.run(model.close())
    assert (summary.exit_status, summary.calls_sent, summary.spent, summary.unpriced) == (
        0,
        3,
        0,
        0,
    )
    again = run(tmp_path / "run", [_Edits()], _open(config, seed=5), card=about)
    assert (again.exit_status, again.calls_sent) == (0, 0)
    with RunFolder.open(tmp_path / "run") as folder:
        kept = [folder.kept(record["call"]) for record in folder.calls()]
    told = [json.loads(k.reply.raw) for k in kept if k is not None]
    assert {t["prompt"] for t in told} == {"red", "blue", "a cat"}
    assert {(t["seed"], t["arguments"]["num_inference_steps"], t["batch"]) for t in told} == {
        (5, 1, 3)
    }
