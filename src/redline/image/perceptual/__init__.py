"""Measures by networks: LPIPS, CLIP and DINO. Needs the extra `perceptual`; imported where used.

`weights` alone can be imported without torch: it finds files and says what is missing.
"""
