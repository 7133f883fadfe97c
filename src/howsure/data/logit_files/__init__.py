"""Logits of a language model saved in files: shards of .npy and .safetensors, read by rows."""

from howsure.data.logit_files.shards import LogitShards, open_logits

__all__ = ["LogitShards", "open_logits"]
