"""How a server is reached: the environment, tokens, TLS. A gRPC server plays one with TLS."""

import asyncio
import collections.abc
import concurrent.futures
import pathlib

import grpc
import headrace
import pytest
from headrace import aio, errors
from headrace.v1 import topic_pb2, topic_service_pb2, topic_service_pb2_grpc

TLS = pathlib.Path(__file__).parent / "tls"
"""A self-signed certificate for headrace.test, and its key."""

VARIABLES = ("ADDR", "TOKEN", "TLS", "TLS_CA", "TLS_CERT", "TLS_KEY", "TLS_SERVER_NAME")


class Topics(topic_service_pb2_grpc.TopicServiceServicer):
    """Answers with the caller's token and whether it showed a certificate."""

    def GetTopic(self, request: topic_service_pb2.GetTopicRequest, context: grpc.ServicerContext) -> object:  # noqa: N802
        token = dict(context.invocation_metadata()).get("authorization", "")
        known = "with" if context.auth_context().get("x509_pem_cert") else "without"
        return topic_service_pb2.GetTopicResponse(topic=topic_pb2.Topic(name=f"{token} {known} certificate"))


@pytest.fixture(params=[False, True], ids=["TLS", "mutual TLS"])
def encrypted(request: pytest.FixtureRequest) -> collections.abc.Iterator[tuple[str, bool]]:
    """The address of a server with TLS, and whether it asks for a certificate."""
    cert, key = (TLS / "cert.pem").read_bytes(), (TLS / "key.pem").read_bytes()
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(1))
    topic_service_pb2_grpc.add_TopicServiceServicer_to_server(Topics(), server)
    credentials = grpc.ssl_server_credentials([(key, cert)], cert if request.param else None, request.param)
    port = server.add_secure_port("127.0.0.1:0", credentials)
    server.start()
    yield f"127.0.0.1:{port}", request.param
    server.stop(None)


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> collections.abc.Callable[..., None]:
    """Sets the variables, and none but these."""

    def put(**variables: str) -> None:
        for name in VARIABLES:
            monkeypatch.delenv(f"HEADRACE_{name}", raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(f"HEADRACE_{name}", value)

    return put


def test_the_environment_gives_address_token_and_certificates(
    encrypted: tuple[str, bool], environment: collections.abc.Callable[..., None]
) -> None:
    address, mutual = encrypted
    own = {"TLS_CERT": str(TLS / "cert.pem"), "TLS_KEY": str(TLS / "key.pem")} if mutual else {}
    environment(ADDR=address, TOKEN="secret", TLS_CA=str(TLS / "cert.pem"), TLS_SERVER_NAME="headrace.test", **own)
    said = f"Bearer secret {'with' if mutual else 'without'} certificate"
    with headrace.Client.from_env(connect_timeout=60) as c:
        assert c.topics.get("orders").name == said

    async def scenario() -> None:
        async with aio.Client.from_env(connect_timeout=60) as c:
            assert (await c.topics.get("orders")).name == said

    asyncio.run(scenario())


def test_a_server_that_nobody_trusts_is_not_spoken_to(encrypted: tuple[str, bool]) -> None:
    address, _ = encrypted
    with headrace.Client(address, tls=True, connect_timeout=1) as c, pytest.raises(errors.UnavailableError) as e:
        c.topics.get("orders")
    assert e.value.reason == "UNREACHABLE"


def test_without_variables_the_address_is_the_default(environment: collections.abc.Callable[..., None]) -> None:
    environment()
    with headrace.Client.from_env() as c:
        assert c.target == "localhost:7070"
    environment(ADDR="server:1")
    with headrace.Client() as c:
        assert c.target == "server:1"


@pytest.mark.parametrize(
    ("variables", "field"),
    [
        ({"TLS": "perhaps"}, "HEADRACE_TLS"),
        ({"TLS_CERT": "cert.pem"}, "tls"),
        ({"TLS_KEY": "key.pem"}, "tls"),
        ({"TOKEN": "secret", "ADDR": "server.example:7070"}, "token"),
    ],
)
def test_what_makes_no_sense_is_refused(
    environment: collections.abc.Callable[..., None], variables: dict[str, str], field: str
) -> None:
    environment(**variables)
    with pytest.raises(errors.InvalidArgumentError) as e:
        headrace.Client.from_env()
    assert (e.value.reason, e.value.field) == ("INVALID_FIELD", field)


def test_a_file_that_is_not_there_is_named() -> None:
    tls = headrace.Tls(ca="/nowhere/authority")
    with headrace.Client(tls=tls) as c, pytest.raises(errors.InvalidArgumentError, match="/nowhere/authority"):
        c.topics.list()


@pytest.mark.parametrize("target", ["127.0.0.1:7070", "localhost:7070", "[::1]:7070", "unix:/run/headrace"])
def test_a_token_stays_on_this_machine_without_tls(target: str) -> None:
    headrace.Client(target, token="secret").close()
