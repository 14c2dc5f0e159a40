"""A scripted model on loopback: it answers the first request with one tool call and the next with a closing word.

Speaks the Anthropic messages, OpenAI chat and responses, and Gemini shapes, streaming and whole, as far as agents ask
for them. It records which tools it was offered and what the tool gave back. It is no model and judges nothing.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CLOSING = "The scripted model is done."


@dataclass
class Script:
    """What to call, and what was seen."""

    tool: str
    """The tool's own name; clients prefix it."""
    arguments: dict[str, Any]
    offered: list[str] = field(default_factory=list)
    """Names of the tools of the last request that offered any."""
    called_as: str = ""
    results: list[str] = field(default_factory=list)
    """Text of the tool results that came back."""
    requests: list[str] = field(default_factory=list)
    """Paths that were asked for."""

    def name_in(self, names: list[str]) -> str | None:
        """The name under which a client offers the tool."""
        self.offered = names or self.offered
        # A client may have a tool of the same name itself; the prefixed one is Satori's.
        own = sorted((name for name in names if name.endswith(self.tool)), key=lambda name: "satori" not in name)
        return own[0] if own else None


class ScriptedModel:
    """The server; `url` is its root."""

    def __init__(self, script: Script) -> None:
        self.script = script
        handler = type("Handler", (_Handler,), {"script": script})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> ScriptedModel:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    script: Script
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Model lists, which some clients ask for first."""
        self.script.requests.append(f"GET {self.path}")
        model = {"id": "scripted", "object": "model", "owned_by": "local", "type": "model", "display_name": "Scripted"}
        self._whole({"object": "list", "data": [model], "models": [{"name": "models/scripted"}], "has_more": False})

    def do_POST(self) -> None:
        """One model request."""
        length = int(self.headers.get("content-length") or 0)
        raw = self.rfile.read(length) if length else self._chunks()
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        path = self.path.partition("?")[0]
        self.script.requests.append(f"POST {path}")
        if path.endswith("/messages"):
            self._anthropic(body)
        elif path.endswith("/responses"):
            self._responses(body)
        elif path.endswith("/chat/completions"):
            self._chat(body)
        elif "GenerateContent" in path or "generateContent" in path:
            self._gemini(body, stream="stream" in path)
        elif path.endswith(("count_tokens", "countTokens")):
            self._whole({"input_tokens": 10, "totalTokens": 10})
        else:
            self._whole({})

    def _chunks(self) -> bytes:
        data = b""
        while size := int(self.rfile.readline().strip() or b"0", 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        return data

    def _whole(self, document: dict[str, Any]) -> None:
        data = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _events(self, events: Iterator[tuple[str, dict[str, Any] | str]]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, document in events:
            data = document if isinstance(document, str) else json.dumps(document)
            lead = f"event: {name}\n" if name else ""
            self.wfile.write(f"{lead}data: {data}\n\n".encode())
        self.wfile.flush()
        self.close_connection = True

    def _decide(self, names: list[str], results: list[str]) -> tuple[str, dict[str, Any]] | None:
        """The tool to call now and its arguments, None to close."""
        script = self.script
        name = script.name_in(names)
        script.results.extend(text for text in results if text not in script.results)
        if name is None and {"tool_search", "tool_call"} <= set(names):
            # Tools behind a search: their declaration is asked for first, then they are called through a bridge.
            hidden = f"mcp__satori__{script.tool}"
            if not results:
                return "tool_search", {"query": f"select:{hidden}"}
            if len(results) == 1:
                script.called_as = f"{hidden} through tool_call"
                return "tool_call", {"name": hidden, "arguments": script.arguments}
        if results or name is None:
            return None
        script.called_as = name
        return name, script.arguments

    # Anthropic messages

    def _anthropic(self, body: dict[str, Any]) -> None:
        names = [tool.get("name", "") for tool in body.get("tools") or []]
        results = [
            _text(block.get("content"))
            for message in body.get("messages", [])
            if isinstance(message.get("content"), list)
            for block in message["content"]
            if block.get("type") == "tool_result"
        ]
        name, arguments = self._decide(names, results) or (None, {})
        block: dict[str, Any] = (
            {"type": "text", "text": CLOSING}
            if name is None
            else {"type": "tool_use", "id": "toolu_1", "name": name, "input": arguments}
        )
        stop = "end_turn" if name is None else "tool_use"
        usage = {"input_tokens": 10, "output_tokens": 5}
        message = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body.get("model", "scripted"),
            "content": [block],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": usage,
        }
        if not body.get("stream"):
            self._whole(message)
            return
        opened = {**block, "text": ""} if name is None else {**block, "input": {}}
        delta = (
            {"type": "text_delta", "text": CLOSING}
            if name is None
            else {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        )
        self._events(
            iter(
                [
                    (
                        "message_start",
                        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
                    ),
                    ("content_block_start", {"type": "content_block_start", "index": 0, "content_block": opened}),
                    ("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}),
                    ("content_block_stop", {"type": "content_block_stop", "index": 0}),
                    (
                        "message_delta",
                        {
                            "type": "message_delta",
                            "delta": {"stop_reason": stop, "stop_sequence": None},
                            "usage": usage,
                        },
                    ),
                    ("message_stop", {"type": "message_stop"}),
                ]
            )
        )

    # OpenAI responses

    def _responses(self, body: dict[str, Any]) -> None:
        names: list[str] = []
        spaces: dict[str, str] = {}
        for tool in body.get("tools") or []:
            if tool.get("type") == "namespace":
                for inner in tool.get("tools") or []:
                    names.append(inner.get("name", ""))
                    spaces[inner.get("name", "")] = tool.get("name", "")
            else:
                names.append(tool.get("name") or tool.get("type", ""))
        given = body.get("input")
        inputs = given if isinstance(given, list) else []
        results = [_text(item.get("output")) for item in inputs if item.get("type") == "function_call_output"]
        name, arguments = self._decide(names, results) or (None, {})
        item: dict[str, Any]
        if name is None:
            part = {"type": "output_text", "text": CLOSING, "annotations": []}
            item = {"type": "message", "id": "m1", "status": "completed", "role": "assistant", "content": [part]}
        else:
            item = {
                "type": "function_call",
                "id": "f1",
                "call_id": "call_1",
                "name": name,
                "arguments": json.dumps(arguments),
                "status": "completed",
            }
            if name in spaces:
                item["namespace"] = spaces[name]
        usage = {
            "input_tokens": 10,
            "output_tokens": 5,
            "total_tokens": 15,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        }
        response = {"id": "r1", "object": "response", "status": "completed", "output": [item], "usage": usage}
        if not body.get("stream"):
            self._whole(response)
            return
        self._events(
            iter(
                [
                    (
                        "response.created",
                        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
                    ),
                    (
                        "response.output_item.added",
                        {"type": "response.output_item.added", "output_index": 0, "item": item},
                    ),
                    (
                        "response.output_item.done",
                        {"type": "response.output_item.done", "output_index": 0, "item": item},
                    ),
                    ("response.completed", {"type": "response.completed", "response": response}),
                ]
            )
        )

    # OpenAI chat

    def _chat(self, body: dict[str, Any]) -> None:
        names = [tool.get("function", {}).get("name", "") for tool in body.get("tools") or []]
        results = [_text(m.get("content")) for m in body.get("messages", []) if m.get("role") == "tool"]
        name, arguments = self._decide(names, results) or (None, {})
        message: dict[str, Any] = {"role": "assistant", "content": CLOSING}
        if name is not None:
            call = {"name": name, "arguments": json.dumps(arguments)}
            message = {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"index": 0, "id": f"call_{len(results)}", "type": "function", "function": call}],
            }
        finish = "stop" if name is None else "tool_calls"
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        base = {"id": "c1", "created": 1, "model": body.get("model", "scripted")}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": finish}
            self._whole({**base, "object": "chat.completion", "choices": [choice], "usage": usage})
            return
        chunk = {**base, "object": "chat.completion.chunk"}
        self._events(
            iter(
                [
                    ("", {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
                    ("", {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}),
                    ("", {**chunk, "choices": [], "usage": usage}),
                    ("", "[DONE]"),
                ]
            )
        )

    # Gemini

    def _gemini(self, body: dict[str, Any], *, stream: bool) -> None:
        names = [
            declaration.get("name", "")
            for tool in body.get("tools") or []
            for declaration in tool.get("functionDeclarations") or []
        ]
        results = [
            json.dumps(part["functionResponse"].get("response"))
            for content in body.get("contents", [])
            for part in content.get("parts", [])
            if "functionResponse" in part
        ]
        name, arguments = self._decide(names, results) or (None, {})
        wants_json = body.get("generationConfig", {}).get("responseMimeType") == "application/json"
        part: dict[str, Any] = {"text": "{}" if wants_json else CLOSING}
        if name is not None:
            part = {"functionCall": {"name": name, "args": arguments}}
        document = {
            "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
            "modelVersion": "scripted",
        }
        if stream:
            self._events(iter([("", document)]))
        else:
            self._whole(document)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(_text(part.get("text", "") if isinstance(part, dict) else part) for part in content)
    return json.dumps(content)
