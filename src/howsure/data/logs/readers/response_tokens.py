"""The tokens of a response, each {token, logprob, top_logprobs}, as chat, completions and responses hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from howsure.data.logs.json_values import listed, mapping

NONE = (
    'it has no logprobs: ask for them, in chat by {"logprobs": true, "top_logprobs": 20}, in responses by '
    '{"include": ["message.output_text.logprobs"]}'
)


def choice_tokens(choice: Mapping[str, Any]) -> list[Any] | None:
    """The tokens of a choice of chat or completions, each {token, logprob, top_logprobs}; None if it has no logprobs,
    as one in which the model said nothing."""
    held = choice.get("logprobs")
    if not isinstance(held, dict):
        return None
    if "tokens" not in held:
        return _checked(listed(held.get("content")))
    names, logprobs = listed(held["tokens"]), listed(held.get("token_logprobs"))
    tops = listed(held.get("top_logprobs")) or [None] * len(names)
    if len(names) != len(logprobs) or len(names) != len(tops):
        raise ValueError("its tokens and their logprobs differ in number")
    if logprobs and logprobs[0] is None:
        raise ValueError("it repeats its prompt, whose answers are none of the model's: ask without echo")
    return _checked(
        [
            {
                "token": name,
                "logprob": one,
                "top_logprobs": [{"token": k, "logprob": v} for k, v in mapping(top).items()],
            }
            for name, one, top in zip(names, logprobs, tops, strict=True)
        ]
    )


def output_tokens(body: Mapping[str, Any]) -> list[Any] | None:
    """The tokens of the text in the output of the responses API; None if the text has no logprobs."""
    parts = [part for one in listed(body.get("output")) for part in listed(mapping(one).get("content"))]
    texts = [mapping(part) for part in parts if mapping(part).get("type") == "output_text"]
    if texts and not any(listed(text.get("logprobs")) for text in texts):
        return None
    return _checked([token for text in texts for token in listed(text.get("logprobs"))])


def _checked(tokens: list[Any]) -> list[Any]:
    if not all(isinstance(one, dict) and isinstance(one.get("token"), str) for one in tokens):
        raise ValueError("its logprobs must be tokens, each with a logprob")
    return tokens
