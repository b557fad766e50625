"""A real mail server on loopback: prints its port, then a JSON line per mail, until its input ends.

usage: smtp_server.py [--auth NAME PASSWORD] [--tls CERT KEY starttls|tls]
"""
import asyncio
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

arguments = sys.argv[1:]
options = {}
if "--auth" in arguments:
    at = arguments.index("--auth")
    expected = LoginPassword(arguments[at + 1].encode(), arguments[at + 2].encode())

    def authenticate(server, session, envelope, mechanism, data):
        return AuthResult(success=data == expected, handled=False)

    options |= {"authenticator": authenticate, "auth_required": True, "auth_require_tls": "--tls" in arguments}
context = None
if "--tls" in arguments:
    at = arguments.index("--tls")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(arguments[at + 1], arguments[at + 2])
    if arguments[at + 3] == "starttls":
        options |= {"tls_context": context, "require_starttls": True}
        context = None
    else:
        options["auth_require_tls"] = False


class Handler:
    async def handle_DATA(self, server, session, envelope):
        if b"refuse-me" in envelope.content:
            return "554 5.7.1 this looks like spam"
        mail = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "content": envelope.content.decode(),
            "tls": server.transport.get_extra_info("ssl_object") is not None,
            "login": session.authenticated is True,
        }
        print(json.dumps(mail), flush=True)
        return "250 OK"


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Handler(), **options), "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
