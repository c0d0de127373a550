"""A protoc plugin for Python's gRPC stubs.

grpcio-tools has the generator built into its own protoc and offers no plugin
to call. This one hands the request's descriptors to that protoc and returns
the files it wrote, for the files that have services.
"""

import pathlib
import sys
import tempfile

from google.protobuf.compiler import plugin_pb2 as plugin
from google.protobuf.descriptor_pb2 import Edition, FileDescriptorSet
from grpc_tools import protoc


def generate(request: plugin.CodeGeneratorRequest) -> plugin.CodeGeneratorResponse:
    response = plugin.CodeGeneratorResponse(
        supported_features=plugin.CodeGeneratorResponse.FEATURE_PROTO3_OPTIONAL
        | plugin.CodeGeneratorResponse.FEATURE_SUPPORTS_EDITIONS,
        minimum_edition=Edition.EDITION_PROTO2,
        maximum_edition=Edition.EDITION_2023,
    )
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory)
        descriptors, out = root / "descriptors.binpb", root / "out"
        descriptors.write_bytes(FileDescriptorSet(file=request.proto_file).SerializeToString())
        out.mkdir()
        arguments = ["protoc", f"--descriptor_set_in={descriptors}", f"--grpc_python_out={out}"]
        wanted = set(request.file_to_generate)
        services = [file.name for file in request.proto_file if file.service and file.name in wanted]
        if services and protoc.main(arguments + services) != 0:
            response.error = "grpc_tools.protoc failed; its message is above"
        for path in sorted(out.rglob("*.py")):
            response.file.add(name=path.relative_to(out).as_posix(), content=path.read_text())
    return response


if __name__ == "__main__":
    request = plugin.CodeGeneratorRequest.FromString(sys.stdin.buffer.read())
    sys.stdout.buffer.write(generate(request).SerializeToString())
