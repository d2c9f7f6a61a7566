"""Pipelines of diffusers with small random weights, made from configurations: nothing is fetched.

They draw noise and not pictures, but they are the real classes: every argument goes through the
real code, and prompt, picture and seed all reach the pixels.
"""

from __future__ import annotations

import json
import string
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

SPECIAL = (
    "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>",
    "<|video_pad|>",
)  # fmt: skip
BYTES = 256
CHAT = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.content is string %}{{ m.content }}"
    "{% else %}{% for c in m.content %}{{ c.text }}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
)


def save(pipeline: str, folder: Path) -> Path:
    """Make a pipeline of this class and save it as diffusers saves one; the folder."""
    import torch

    torch.manual_seed(0)
    parts = MAKERS[pipeline]()
    index: dict[str, Any] = {"_class_name": pipeline, "_diffusers_version": "0.42.1"}
    for name, part in parts.items():
        if part is None:
            index[name] = [None, None]
            continue
        library = type(part).__module__.partition(".")[0]
        index[name] = [library, type(part).__name__]
        part.save_pretrained(folder / name)
    if "Qwen" in pipeline:
        _save_qwen_processor(folder / "processor", parts["tokenizer"])
        index["processor"] = ["transformers", "Qwen2VLProcessor"]
    if pipeline == "Flux2Pipeline":
        index["tokenizer"] = ["transformers", "PixtralProcessor"]
    if pipeline == "StableDiffusionInstructPix2PixPipeline":
        index["requires_safety_checker"] = False
    (folder / "model_index.json").write_text(json.dumps(index))
    return folder


def _alphabet() -> list[str]:
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    return list(bytes_to_unicode().values())


def _clip() -> dict[str, Any]:
    from transformers import CLIPTextConfig, CLIPTextModel, CLIPTokenizer

    letters = _alphabet()
    words = [*letters, *(c + "</w>" for c in letters), "<|startoftext|>", "<|endoftext|>"]
    start, end = len(words) - 2, len(words) - 1
    config = CLIPTextConfig(
        vocab_size=len(words), bos_token_id=start, eos_token_id=end, pad_token_id=end,
        hidden_size=32, intermediate_size=37, num_attention_heads=4, num_hidden_layers=2,
        projection_dim=32,
    )  # fmt: skip
    return {
        "text_encoder": CLIPTextModel(config),
        "tokenizer": CLIPTokenizer(
            vocab={w: i for i, w in enumerate(words)}, merges=[], model_max_length=77
        ),
    }


def _qwen_tokenizer() -> Any:
    from transformers import AddedToken, Qwen2Tokenizer

    words = [*_alphabet(), "<|endoftext|>"]
    tokenizer = Qwen2Tokenizer(vocab={w: i for i, w in enumerate(words)}, merges=[])
    tokenizer.add_tokens([AddedToken(word, special=True) for word in SPECIAL])
    tokenizer.chat_template = CHAT
    return tokenizer


def _save_qwen_processor(folder: Path, tokenizer: Any) -> None:
    from transformers import Qwen2VLImageProcessorPil

    size = {"shortest_edge": 56 * 56, "longest_edge": 28 * 28 * 1280}
    Qwen2VLImageProcessorPil(size=size).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _loud(module: Any) -> Any:
    """Matrices four times as large as they are made: untrained blocks hardly listen otherwise."""
    import torch

    with torch.no_grad():
        for weight in module.parameters():
            if weight.ndim == 2:
                weight.mul_(4)
    return module


def _scheduler() -> Any:
    from diffusers import FlowMatchEulerDiscreteScheduler

    return FlowMatchEulerDiscreteScheduler()


VAE = {
    "sample_size": 32, "in_channels": 3, "out_channels": 3, "block_out_channels": (4, 8),
    "down_block_types": ("DownEncoderBlock2D",) * 2, "up_block_types": ("UpDecoderBlock2D",) * 2,
    "layers_per_block": 1, "latent_channels": 1, "norm_num_groups": 1, "use_quant_conv": False,
    "use_post_quant_conv": False,
}  # fmt: skip


def _instruct_pix2pix() -> dict[str, Any]:
    from diffusers import AutoencoderKL, EulerAncestralDiscreteScheduler, UNet2DConditionModel

    unet = UNet2DConditionModel(
        block_out_channels=(32, 64), layers_per_block=1, sample_size=32, in_channels=8,
        out_channels=4, down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"), cross_attention_dim=32,
    )  # fmt: skip
    vae = AutoencoderKL(
        block_out_channels=(32, 64), down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2, latent_channels=4,
    )  # fmt: skip
    return {
        "unet": unet, "vae": vae, **_clip(), "safety_checker": None, "feature_extractor": None,
        "scheduler": EulerAncestralDiscreteScheduler(beta_schedule="scaled_linear"),
    }  # fmt: skip


def _flux(in_channels: int) -> dict[str, Any]:
    from diffusers import AutoencoderKL, FluxTransformer2DModel
    from transformers import T5Config, T5EncoderModel, T5Tokenizer

    transformer = FluxTransformer2DModel(
        patch_size=1, in_channels=in_channels, out_channels=4, num_layers=1, num_single_layers=1,
        attention_head_dim=16, num_attention_heads=2, joint_attention_dim=32,
        pooled_projection_dim=32, axes_dims_rope=(4, 4, 8), guidance_embeds=True,
    )  # fmt: skip
    words = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", -10.0), ("▁", -2.0)]
    words += [(c, -3.0) for c in string.printable if c.strip()]
    encoder = T5Config(
        vocab_size=len(words), d_model=32, d_kv=8, d_ff=37, num_layers=2, num_heads=4,
        pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    return {
        "transformer": _loud(transformer),
        "vae": AutoencoderKL(**VAE, shift_factor=0.06, scaling_factor=1.5),
        **_clip(),
        "text_encoder_2": T5EncoderModel(encoder),
        "tokenizer_2": T5Tokenizer(vocab=words, extra_ids=0, model_max_length=512),
        "scheduler": _scheduler(),
    }


def _flux_kontext() -> dict[str, Any]:
    return {**_flux(in_channels=4), "image_encoder": None, "feature_extractor": None}


def _flux_fill() -> dict[str, Any]:
    # The noise (4), the masked picture (4) and the mask, 2 x 2 patches of its 2 x 2 pixels (16).
    return _flux(in_channels=24)


def _qwen() -> dict[str, Any]:
    from diffusers import AutoencoderKLQwenImage, QwenImageTransformer2DModel
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration

    tokenizer = _qwen_tokenizer()
    number = {word: tokenizer.convert_tokens_to_ids(word) for word in SPECIAL}
    transformer = QwenImageTransformer2DModel(
        patch_size=2, in_channels=16, out_channels=4, num_layers=2, attention_head_dim=16,
        num_attention_heads=3, joint_attention_dim=16, guidance_embeds=False,
        axes_dims_rope=(8, 4, 4),
    )  # fmt: skip
    vae = AutoencoderKLQwenImage(
        base_dim=24, z_dim=4, dim_mult=[1, 2, 4], num_res_blocks=1,
        temperal_downsample=[False, True], latents_mean=[0.0] * 4, latents_std=[1.0] * 4,
    )  # fmt: skip
    rope = {"mrope_section": [1, 1, 2], "rope_type": "default", "rope_theta": 1e6}
    config = Qwen2_5_VLConfig(
        text_config={
            "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 2,
            "num_attention_heads": 2, "num_key_value_heads": 2, "rope_parameters": rope,
            "vocab_size": len(tokenizer), "bos_token_id": BYTES,
            "eos_token_id": number["<|im_end|>"],
        },
        vision_config={
            "depth": 2, "hidden_size": 16, "intermediate_size": 16, "num_heads": 2,
            "out_hidden_size": 16,
        },
        image_token_id=number["<|image_pad|>"], video_token_id=number["<|video_pad|>"],
        vision_start_token_id=number["<|vision_start|>"],
        vision_end_token_id=number["<|vision_end|>"],
    )  # fmt: skip
    return {
        "transformer": _loud(transformer), "vae": vae, "tokenizer": tokenizer,
        "text_encoder": Qwen2_5_VLForConditionalGeneration(config), "scheduler": _scheduler(),
    }  # fmt: skip


def _flux2(text_encoder: Any) -> dict[str, Any]:
    from diffusers import AutoencoderKLFlux2, Flux2Transformer2DModel

    transformer = Flux2Transformer2DModel(
        patch_size=1, in_channels=4, num_layers=1, num_single_layers=1, attention_head_dim=16,
        num_attention_heads=2, joint_attention_dim=48, axes_dims_rope=(4, 4, 4, 4),
    )  # fmt: skip
    return {
        "transformer": _loud(transformer), "vae": AutoencoderKLFlux2(**VAE),
        "text_encoder": text_encoder, "tokenizer": _qwen_tokenizer(), "scheduler": _scheduler(),
    }  # fmt: skip


SMALL = {
    "vocab_size": BYTES + 1 + len(SPECIAL), "hidden_size": 16, "intermediate_size": 16,
    "num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 8,
}  # fmt: skip


def _flux2_dev() -> dict[str, Any]:
    from transformers import Mistral3Config, Mistral3ForConditionalGeneration

    # The pipeline reads layers 10, 20 and 30.
    config = Mistral3Config(
        text_config={**SMALL, "model_type": "mistral", "num_hidden_layers": 30},
        vision_config={
            "model_type": "pixtral", "hidden_size": 16, "intermediate_size": 16,
            "num_hidden_layers": 1, "num_attention_heads": 2, "image_size": 28, "patch_size": 14,
        },
        image_token_index=BYTES + 5,
    )  # fmt: skip
    return _flux2(Mistral3ForConditionalGeneration(config))


def _flux2_klein() -> dict[str, Any]:
    from transformers import Qwen3Config, Qwen3ForCausalLM

    return _flux2(Qwen3ForCausalLM(Qwen3Config(**SMALL, num_hidden_layers=27)))


MAKERS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "StableDiffusionInstructPix2PixPipeline": _instruct_pix2pix,
    "QwenImageEditPipeline": _qwen,
    "QwenImageEditPlusPipeline": _qwen,
    "FluxKontextPipeline": _flux_kontext,
    "FluxFillPipeline": _flux_fill,
    "Flux2Pipeline": _flux2_dev,
    "Flux2KleinPipeline": _flux2_klein,
}


def save_lora(folder: Path) -> Path:
    """LoRA weights for the transformer of the Flux pipelines above, loud enough to be seen."""
    import torch
    from diffusers import FluxFillPipeline, FluxTransformer2DModel
    from peft import LoraConfig
    from peft.utils import get_peft_model_state_dict

    torch.manual_seed(1)
    transformer: FluxTransformer2DModel = _flux(in_channels=24)["transformer"]
    names = ["to_q", "to_k", "to_v"]
    transformer.add_adapter(LoraConfig(r=2, target_modules=names, init_lora_weights=False))
    layers = {k: 8 * v for k, v in get_peft_model_state_dict(transformer).items()}
    FluxFillPipeline.save_lora_weights(folder, transformer_lora_layers=layers)
    return folder


def with_safety_checker(pipeline: Path, folder: Path) -> Path:
    """A copy of an InstructPix2Pix pipeline whose safety checker flags every picture: each of its
    concepts is nearer than a threshold of -2, which every cosine is above."""
    import shutil

    import torch
    from diffusers.pipelines.stable_diffusion.safety_checker import StableDiffusionSafetyChecker
    from transformers import CLIPConfig, CLIPImageProcessorPil

    shutil.copytree(pipeline, folder)
    vision = {
        "hidden_size": 32, "intermediate_size": 37, "num_attention_heads": 4,
        "num_hidden_layers": 1, "image_size": 32, "patch_size": 16,
    }  # fmt: skip
    checker = StableDiffusionSafetyChecker(CLIPConfig(vision_config=vision, projection_dim=32))
    with torch.no_grad():
        checker.concept_embeds_weights.fill_(-2.0)
        checker.special_care_embeds_weights.fill_(2.0)
    checker.save_pretrained(folder / "safety_checker")
    side = {"shortest_edge": 32}
    CLIPImageProcessorPil(size=side, crop_size={"height": 32, "width": 32}).save_pretrained(
        folder / "feature_extractor"
    )
    index = json.loads((folder / "model_index.json").read_text())
    index["safety_checker"] = ["stable_diffusion", "StableDiffusionSafetyChecker"]
    index["feature_extractor"] = ["transformers", "CLIPImageProcessor"]
    (folder / "model_index.json").write_text(json.dumps(index))
    return folder


def with_nan(pipeline: Path, folder: Path) -> Path:
    """A copy of a pipeline whose decoder gives no numbers."""
    import shutil

    from safetensors.torch import load_file, save_file

    shutil.copytree(pipeline, folder)
    file = folder / "vae" / "diffusion_pytorch_model.safetensors"
    weights = load_file(file)
    weights["decoder.conv_out.bias"].fill_(float("nan"))
    save_file(weights, file, metadata={"format": "pt"})
    return folder
