"""`diffusers/OWNER/NAME` and `diffusers/local:NAME`: pipelines of the diffusers library that edit
pictures on this machine.

`adapters.py` is the table of pipelines that are known and how each is called; `weights.py` finds
what is to be loaded and says which revision it is; `pipeline.py` holds one in memory; `model.py`
speaks the protocol. torch and diffusers are imported when a pipeline is loaded, not before.
"""
