"""What the conformance suite asks for by fixed names, added to Satori's own server object for that suite alone.

It tests features through tools, prompts and resources that it names itself. These are the smallest that do what it
says. Tools of Satori's own keep their handlers: a call of any other name goes where it would have gone.
"""

from __future__ import annotations

import base64
import warnings
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

Context = ServerRequestContext[Any, Any]
# One red pixel as PNG, and an empty WAV.
_PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
_WAV = base64.b64encode(b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0D\xac\0\0\x88X\1\0\2\0\x10\0data\0\0\0\0").decode()
_EMPTY: dict[str, Any] = {"type": "object", "properties": {}}
_TTL = 60_000


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def _image() -> types.ImageContent:
    return types.ImageContent(type="image", data=_PNG, mime_type="image/png")


def _embedded(uri: str, mime: str, text: str) -> types.EmbeddedResource:
    return types.EmbeddedResource(
        type="resource", resource=types.TextResourceContents(uri=uri, mime_type=mime, text=text)
    )


_CONTENT: dict[str, list[types.ContentBlock]] = {
    "test_simple_text": [_text("This is a simple text response for testing.")],
    "test_image_content": [_image()],
    "test_audio_content": [types.AudioContent(type="audio", data=_WAV, mime_type="audio/wav")],
    "test_embedded_resource": [
        _embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ],
    "test_multiple_content_types": [
        _text("Multiple content types test:"),
        _image(),
        _embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
}


async def _fail(context: Context, arguments: dict[str, Any]) -> types.CallToolResult:
    return types.CallToolResult(content=[_text("This tool intentionally returns an error for testing")], is_error=True)


async def _progress(context: Context, arguments: dict[str, Any]) -> types.CallToolResult:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100, f"{done} of 100")
        await anyio.sleep(0.05)
    return types.CallToolResult(content=[_text("done")])


async def _log(context: Context, arguments: dict[str, Any]) -> types.CallToolResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await context.session.send_log_message(level="info", data=said, logger="fixture")
            await anyio.sleep(0.05)
    return types.CallToolResult(content=[_text("logged")])


_ACTIONS: dict[str, Callable[[Context, dict[str, Any]], Awaitable[types.CallToolResult]]] = {
    "test_error_handling": _fail,
    "test_tool_with_progress": _progress,
    "test_tool_with_logging": _log,
    "test_logging_tool": _log,
}
_RESOURCES: dict[str, types.TextResourceContents | types.BlobResourceContents] = {
    "test://static-text": types.TextResourceContents(
        uri="test://static-text", mime_type="text/plain", text="This is the content of the static text resource."
    ),
    "test://static-binary": types.BlobResourceContents(uri="test://static-binary", mime_type="image/png", blob=_PNG),
    "test://watched-resource": types.TextResourceContents(
        uri="test://watched-resource", mime_type="text/plain", text="watched"
    ),
}
_PROMPTS = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
}


def add_fixtures(server: Server[Any]) -> None:
    """Add the suite's tools, resources, prompts, completion and logging to `server`."""
    own_list = server.get_request_handler("tools/list")
    own_call = server.get_request_handler("tools/call")
    assert own_list is not None and own_call is not None

    async def list_tools(context: Context, params: Any) -> types.ListToolsResult:
        listed = await own_list.handler(context, params)
        assert isinstance(listed, types.ListToolsResult)
        fixtures = [
            types.Tool(name=name, description="A fixture of the conformance suite.", input_schema=_EMPTY)
            for name in (*_CONTENT, *_ACTIONS)
        ]
        return listed.model_copy(update={"tools": [*listed.tools, *fixtures]})

    async def call(context: Context, params: types.CallToolRequestParams) -> Any:
        if params.name in _CONTENT:
            return types.CallToolResult(content=_CONTENT[params.name])
        if params.name in _ACTIONS:
            return await _ACTIONS[params.name](context, params.arguments or {})
        return await own_call.handler(context, params)

    server.add_request_handler("tools/list", types.PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", types.CallToolRequestParams, call)
    server.add_request_handler("resources/list", types.PaginatedRequestParams, _list_resources)
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, _list_templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, _read_resource)
    server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, _accept)
    server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, _accept)
    server.add_request_handler("prompts/list", types.PaginatedRequestParams, _list_prompts)
    server.add_request_handler("prompts/get", types.GetPromptRequestParams, _get_prompt)
    server.add_request_handler("completion/complete", types.CompleteRequestParams, _complete)
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, _accept)


async def _accept(context: Context, params: Any) -> types.EmptyResult:
    return types.EmptyResult()


async def _list_resources(context: Context, params: Any) -> types.ListResourcesResult:
    resources = [
        types.Resource(uri=uri, name=uri.partition("://")[2], mime_type=content.mime_type)
        for uri, content in _RESOURCES.items()
    ]
    return types.ListResourcesResult(resources=resources, ttl_ms=_TTL, cache_scope="public")


async def _list_templates(context: Context, params: Any) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(uri_template="test://template/{id}/data", name="template")
    return types.ListResourceTemplatesResult(resource_templates=[template], ttl_ms=_TTL, cache_scope="public")


async def _read_resource(context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    uri = str(params.uri)
    contents = _RESOURCES.get(uri)
    if contents is None and uri.startswith("test://template/"):
        name = uri.split("/")[3]
        text = f'{{"id":"{name}","templateTest":true,"data":"Data for ID: {name}"}}'
        contents = types.TextResourceContents(uri=uri, mime_type="application/json", text=text)
    if contents is None:
        raise MCPError(code=types.INVALID_PARAMS, message="Resource not found", data={"uri": uri})
    return types.ReadResourceResult(contents=[contents], ttl_ms=_TTL, cache_scope="public")


async def _list_prompts(context: Context, params: Any) -> types.ListPromptsResult:
    prompts = [
        types.Prompt(
            name=name,
            description="A fixture.",
            arguments=[types.PromptArgument(name=one, required=True) for one in arguments],
        )
        for name, arguments in _PROMPTS.items()
    ]
    return types.ListPromptsResult(prompts=prompts, ttl_ms=_TTL, cache_scope="public")


async def _get_prompt(context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    given = params.arguments or {}
    if params.name not in _PROMPTS:
        raise MCPError(code=types.INVALID_PARAMS, message="Prompt not found")
    blocks: list[types.ContentBlock] = [_text("This is a simple prompt for testing.")]
    if params.name == "test_prompt_with_arguments":
        blocks = [_text(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")]
    elif params.name == "test_prompt_with_embedded_resource":
        uri = given.get("resourceUri") or "test://example-resource"
        blocks = [_embedded(uri, "text/plain", "Embedded resource content for testing."), _text("Please process it.")]
    elif params.name == "test_prompt_with_image":
        blocks = [_image(), _text("Please analyze the image above.")]
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=block) for block in blocks])


async def _complete(context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
    return types.CompleteResult(completion=types.Completion(values=["paris", "park"], total=2, has_more=False))
