"""The way to an endpoint: encrypted, checked, and through a company's own proxy."""

from __future__ import annotations

import gzip
import http.client
import json
import shutil
import socket
import ssl
import subprocess
import threading

import pytest
from tests.agents.endpoint import KEY, Endpoint
from tests.agents.moves import Garbage, Say
from tests.agents.proxy_client import MODEL, conversation
from tests.agents.wording import WORDINGS

from envwright.agents.proxy import PROTOCOLS, Patience, Upstream
from envwright.agents.proxy.upstream import Request
from envwright.errors import EnvwrightError

QUESTION = {"model": MODEL, "messages": [], "tools": [{}]}
REQUEST = Request("POST", "/chat/completions", {}, json.dumps(QUESTION).encode())


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    if shutil.which("openssl") is None:
        pytest.skip("openssl is missing")
    folder = tmp_path_factory.mktemp("tls")
    command = (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test -keyout key -out cert"
    )
    options = ["-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command.split(), *options], cwd=folder, check=True, capture_output=True)
    return folder


def encrypted(endpoint, certificate):
    """The same endpoint with TLS; its address."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "cert", certificate / "key")
    endpoint._server.socket = context.wrap_socket(endpoint._server.socket, server_side=True)
    return endpoint.address.replace("http:", "https:")


def asked(address):
    upstream = Upstream(address, KEY, PROTOCOLS["chat"], Patience())
    reply = upstream.ask(REQUEST, "")
    try:
        reply.wait()
        return reply.status, b"".join(reply.pieces())
    finally:
        reply.close()


def test_encrypted_endpoint_is_asked(certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "cert"))
    with Endpoint([Say("hello")]) as endpoint:
        status, body = asked(encrypted(endpoint, certificate))
        assert status == 200
        assert json.loads(body) == WORDINGS["chat"].document("hello", MODEL)
        assert endpoint.asked[0].headers["authorization"] == f"Bearer {KEY}"


def test_key_is_not_told_to_an_impostor(certificate):
    with Endpoint([Say("hello")]) as endpoint:
        address = encrypted(endpoint, certificate)
        with pytest.raises(ssl.SSLCertVerificationError):
            asked(address)
        assert endpoint.asked == []


def test_endpoint_is_reached_through_the_proxy_of_the_network(monkeypatch):
    heard = []

    def relay(listener):
        connection, _ = listener.accept()
        with connection:
            heard.append(connection.recv(1000).partition(b"\r\n")[0])
            connection.sendall(b"HTTP/1.1 403 Not For You\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=relay, args=(listener,))
        thread.start()
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{listener.getsockname()[1]}")
        monkeypatch.setenv("no_proxy", "")
        with pytest.raises(OSError, match="403"):
            asked("https://models.invalid/v1")
        thread.join()
    assert heard[0].startswith(b"CONNECT models.invalid:443 HTTP/1.")


def test_path_of_the_base_address_is_kept():
    with Endpoint([Say("hello")]) as endpoint:
        asked(endpoint.address + "/api/v1/")
        assert endpoint.asked[0].path == "/api/v1/chat/completions"


def test_headers_of_the_program_pass_but_not_its_secrets():
    upstream_headers = {
        "anthropic-beta": "kept",
        "x-stainless-os": "kept",
        "x-custom": "of next year",
        "x-original-url": "/v1/files",
        "openai-organization": "another",
        "content_length": "1",
        "user-agent": "program/1.0",
        "x-api-key": "token",
        "x-goog-api-key": "token",
        "cookie": "c=1",
        "connection": "keep-alive",
        "accept-encoding": "br",
        "range": "bytes=0-9",
        "x-folded": "a\r\n transfer-encoding: chunked",
        "x-zero": "a\0b",
        "if-none-match": "*",
        "x-vertex-ai-llm-shared-request-type": "priority",
    }
    with Endpoint([Say("hello")]) as endpoint:
        upstream = Upstream(endpoint.address, KEY, PROTOCOLS["chat"], Patience())
        reply = upstream.ask(Request("POST", REQUEST.path, upstream_headers, REQUEST.body), "")
        reply.wait()
        reply.close()
        headers = endpoint.asked[0].headers
    assert headers["anthropic-beta"] == headers["x-stainless-os"] == "kept"
    assert headers["user-agent"] == "program/1.0"
    assert headers["accept-encoding"] == "identity"
    kept = {"anthropic-beta", "x-stainless-os", "user-agent", "connection", "accept-encoding"}
    assert not (upstream_headers.keys() - kept) & headers.keys()


def test_compressed_answer_is_understood_all_the_same(tmp_path):
    document = json.dumps(WORDINGS["chat"].document("hello", MODEL)).encode()
    with conversation(tmp_path, [Garbage(gzip.compress(document))]) as here:
        here.endpoint.compressed = True
        assert here.ask().body == document
        assert here.proxy.usage.prompt == 1200


@pytest.mark.parametrize("key", ["sk-the\nkey-of-two-lines", "sk-the-key-\u2026", "sk-\x1b[0mkey"])
def test_key_that_no_header_can_carry_is_rejected_without_being_told(key):
    with pytest.raises(EnvwrightError, match="copy it again") as rejected:
        Upstream("http://127.0.0.1:1", key, PROTOCOLS["chat"], Patience())
    assert "sk-" not in str(rejected.value)


def test_answer_that_does_not_end_is_cut(tmp_path, monkeypatch):
    monkeypatch.setattr("envwright.agents.proxy.upstream.LONGEST", 10_000)
    bomb = gzip.compress(b" " * 10**7)
    with conversation(tmp_path, [Garbage(bomb)]) as here:
        here.endpoint.compressed = True
        with pytest.raises(http.client.IncompleteRead) as cut:
            here.ask()
        assert len(cut.value.partial) <= 10_000
        assert "does not end" in here.proxy.trouble.reason
