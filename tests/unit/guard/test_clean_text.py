"""What must survive redaction: code, prose about secrets, hashes, ids and placeholders."""

import pytest

from holdfast.guard.redaction import Redactor
from holdfast.model.ids import user_dir

REDACTOR = Redactor(bytes(32))
CODE = [
    "password = get_password()",
    "password = getpass.getpass('Password: ')",
    "def login(user: str, password: str) -> None:",
    "password: Optional[str] = None",
    "token: str",
    "token = lexer.next()",
    "self.token = token2",
    "secret = self.secret",
    "api_key=os.environ['OPENAI_API_KEY']",
    "password = config.db2.password",
    "const token = await response.json()",
    "if token == expected_token:",
    "token = tokens[0]",
    "for token in tokens: print(token)",
    '<input type="password" name="password" placeholder="password">',
    '{"token_type": "bearer", "max_tokens": 4096}',
    '{"type": "object", "properties": {"password": {"type": "string"}}}',
    "secretKeyRef: {name: db, key: password}",
    "hf_hub_download(repo_id)",
    "npm_config_registry=x",
    ".sk-loading-indicator-wrapper-large { }",
    "sk-circle-fade-dot",
    "export class AuthTokenInterceptor implements HttpInterceptor {}",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "Authorization: Required",
    "password=${DB_PASSWORD}",
    "password={{ vault_password }}",
    "postgres://user:<password>@host/db",
    "postgres://user:$PASS@host/db",
    "https://example.com:8080/a@b",
    "git@github.com:owner/repository.git",
    "ssh://git@example.com:22/x",
    "user@example.com",
    "kubectl create secret generic db --from-file=./password.txt",
    "docker login --password-stdin",
    "sort -u names:list",
]
PROSE = [
    "password: at least 12 characters",
    "The password is case-sensitive.",
    "the token is expired, the secret was rotated",
    "the token is base64-encoded",
    "Bearer token authentication is on.",
    "My secret: I like tests.",
    "secret santa: 2026-01-10",
    "Passwords: never store them.",
    "token budget: 800, tokens used: 512",
    "the API key: see the vault",
    "password: ******",
    "password: <your-password>",
    'password: "your-password-here"',
    "password: xxxxxxxx",
    "Asia is large; ASIA too",
    "PWD=/home/user/project",
    "ask the task-force-of-the-year-2026-about-risk",
    "set key: value pairs in the config",
    "primary key: user_id2, cache key: a1b2c3d4e5f6a7b8",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
    "It costs 10 a month: 123456789:30",
]
IDS = [
    "3f786850e387550fdab836ed7e6dc881de23001b",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b in main",
    "550e8400-e29b-41d4-a716-446655440000",
    "sha256:" + "9f86d081884c7d65" * 4,
    "sha512-" + "z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    "md5 d41d8cd98f00b204e9800998ecf8427e",
    "mem_01KDVDNA00CD9B9S3MB9DS10N1",
    "token: mem_01KDVDNA00CD9B9S3MB9DS10N1",
    "secret: sess_20260101_5j4s8k",
    user_dir("ana"),
    "2026-01-10T14:23:45.678Z",
    "v1.2.3-beta.4+build.5",
    "0x7f3a9c2b",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
]


@pytest.mark.parametrize("text", CODE + PROSE + IDS)
def test_clean_text_survives(text):
    assert REDACTOR.text(text) == text


@pytest.mark.parametrize("text", CODE + PROSE + IDS)
def test_clean_text_survives_inside_a_json_string(text):
    import json

    whole = json.dumps({"note": text})
    assert REDACTOR.text(whole) == whole
