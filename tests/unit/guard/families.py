"""Synthetic secrets of every family, put together at run time so that no scanner takes this file for a leak."""

import random
import string

UPPER = string.ascii_uppercase + "234567"
ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


class Maker:
    """Makes secrets; the same seed makes the same ones."""

    def __init__(self, seed=1):
        self._random = random.Random(seed)

    def some(self, length, letters=ALNUM):
        """Letters and at least one digit and one lower-case letter where there is room."""
        made = "".join(self._random.choice(letters) for _ in range(length - 2))
        return made + ("7a" if letters is ALNUM else "".join(self._random.choice(letters) for _ in range(2)))

    def families(self):
        """Name of the mark -> a secret as it stands in text."""
        some = self.some
        return {
            "aws-access-key": "AK" + "IA" + some(16, UPPER),
            "github-token": "gh" + "p_" + some(36),
            "gitlab-token": "gl" + "pat-" + some(20),
            "slack-token": "xo" + "xb-" + some(12, "0123456789") + "-" + some(24),
            "anthropic-key": "sk" + "-ant-api03-" + some(80),
            "openai-key": "sk" + "-proj-" + some(60),
            "google-key": "AI" + "za" + some(35),
            "stripe-key": "sk" + "_live_" + some(24),
            "twilio-key": "S" + "K" + some(32, HEX),
            "sendgrid-key": "S" + "G." + some(22) + "." + some(43),
            "npm-token": "np" + "m_" + some(36),
            "pypi-token": "py" + "pi-AgEIcHlwaS5vcmc" + some(60),
            "huggingface-token": "h" + "f_" + some(34),
            "jwt": "ey" + "J" + some(20) + ".ey" + "J" + some(40) + "." + some(43),
            "vault-token": "hv" + "s." + some(30),
            "age-key": "AGE-" + "SECRET-KEY-1" + some(58, UPPER),
        }

    def others(self):
        """(name of the mark, text around it, secret): families known by what stands beside them."""
        some = self.some
        pem = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIE" + some(300) + "\n-----END RSA " + "PRIVATE KEY-----"
        ssh = "-----BEGIN OPENSSH " + "PRIVATE KEY-----\n" + some(300) + "\n-----END OPENSSH " + "PRIVATE KEY-----"
        return [
            ("private-key", "key:\n{}\nend", pem),
            ("private-key", "{}", ssh),
            ("private-key", '{{"private_key_id": "1", "k": "{}"}}', pem.replace("\n", "\\n")),
            ("private-key", "cut off: {}", "-----BEGIN " + "PRIVATE KEY-----\n" + some(64) + "\n" + some(64)),
            ("aws-secret-key", "aws_secret_access_key = {}", some(40)),
            ("aws-secret-key", '"SecretAccessKey": "{}"', some(40)),
            ("aws-secret-key", "AK" + "IA" + some(16, UPPER) + ",{}", some(40)),
            ("github-token", "fine-grained {} here", "github" + "_pat_" + some(40)),
            ("slack-token", "{}", "xa" + "pp-1-" + some(30)),
            ("slack-webhook", "https://hooks.slack.com/services/{}", "T0123/B0456/" + some(24)),
            ("telegram-token", "123456789:{}", "AA" + some(33)),
            ("discord-token", "the discord bot has M" + some(23) + "{}", "." + some(6) + "." + some(30)),
            ("azure-key", "DefaultEndpointsProtocol=https;AccountKey={};Suffix=x", some(86) + "=="),
            ("azure-sas", "https://x.blob.core.windows.net/c?sv=2020&sig={}", some(43) + "%3D"),
            ("authorization", "Authorization: Bearer {}", some(30)),
            ("authorization", "curl -H 'Authorization: Basic {}'", "dXNlcjpwYXNzd29yZA=="),
            ("bearer-token", "sent as Bearer {} by mistake", some(40)),
            ("url-password", "postgres://app:{}@db.internal:5432/main", "p4ss-word"),
            ("url-password", "redis://:{}@cache:6379", "hunter2"),
            ("url-password", "https://bob:{}@example.com", "p@ss:w0rd"),
            ("url-token", "https://{}@github.com/o/r.git", some(30)),
            ("password", 'password = "{}"', "hunter2"),
            ("password", "password: {}", "hunter2"),
            ("password", "my password is {}.", "hunter2"),
            ("password", 'password: str = "{}"', "hunter2"),
            ("password", "**Password:** {}", "hunter2!x"),
            ("password", "Server=x;Uid=sa;Pwd={};", "s3cret!"),
            ("password", "DB_PASSWORD={}", "hunterpass"),
            ("password", "mysql --password {} -h db", "hunter2"),
            ("password", "curl -u bob:{} https://x", "s3cret"),
            ("password", "machine h login l password {}", "hunter"),
            ("password", "password={}&user=ana", "hunter2"),
            ("secret", "api_key: {}", some(32)),
            ("secret", '"clientSecret": "{}"', some(20)),
            ("secret", "export GITHUB_TOKEN={}", some(24)),
            ("secret", "x-api-key: {}", some(24)),
            ("secret", "--api-key {}", some(24)),
            ("secret", "API_KEY_2='{}'", some(24)),
        ]
