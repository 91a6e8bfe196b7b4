"""What looks like a credential: rules as data (D30).

A rule is anchored: it is tried only where one of its lower-case anchors stands, so clean text costs a few
substring searches. Patterns are matched at the anchor, compile on first use, and are linear: quantifiers are
bounded or possessive, never nested. The group `secret` (else the whole match) is replaced. What was stored
before a rule was added is covered when it is exported, and when it is loaded again.
"""

from __future__ import annotations

import re

# Before a token: no letter or digit, unless it ends an escape (\n, %20) of JSON or of a URL.
_EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f][0-9A-Fa-f]))"
_RUN_EDGE = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f][0-9A-Fa-f]))"
_END = r"(?![A-Za-z0-9])"
_QUOTE = r"(?:\\{0,4}[\"'`]|%2[27]|\\u0022)"
_BLANK = r"(?:\s|%20|\+){1,4}"
_ANNOTATED = r":\s{0,4}[A-Za-z_.]{1,30}(?:\[[A-Za-z_., |]{1,40}\])?(?:\s?\|\s?None)?\s{0,4}="  # password: str = "…"
_IS = rf"{_ANNOTATED}|:=|=>|==?|:|%3[AaDd]|\\u003[dD]|\s(?:is|was)\s"
_SIGN = rf"\*{{0,2}}\s{{0,8}}(?P<sign>{_IS})\s{{0,8}}\*{{0,2}}\s{{0,2}}"
_ASSIGN = rf"{_QUOTE}?{_SIGN}(?:[bruBRUfF]{{0,2}}{_QUOTE})?"
_QUOTED = r"(?:(?!%2[27]|\\u0022)(?:[^\"'`\\\s]|\\[^\"'`\snrt])){1,512}+"
_BARE = r"(?:(?!%2[2267])[^\s\"'`,;<>(){}\[\]&|\\]){1,512}+(?![(\[])"
_VALUE = rf"(?:[bruBRUfF]{{0,2}}(?P<quote>{_QUOTE})(?P<secret>{_QUOTED})|(?P<bare>{_BARE}))"
_BASE64 = r"[A-Za-z0-9/+]"
_HOST = r"(?::\\?/\\?/|%3[Aa]%2[Ff]%2[Ff])"
_PEM = r"[ A-Z0-9%+]{0,60}PRIVATE(?: |\+|%20)KEY(?:(?: |\+|%20)BLOCK)?-----"

_KEYS = ("api", "access", "secret", "private", "encryption", "signing", "master", "auth", "account", "storage")
_KEY = f"(?:{'|'.join(f'(?<={name})|(?<={name}[_ -])' for name in _KEYS)})key"  # api_key, accessKey
NAMES = ("pass", "pwd", "secret", "token", "credential", "key")  # in lower case, wherever a secret is named
_NAME = rf"(?P<name>(?i:password|passwd|passphrase|pwd|secret|token|credential|{_KEY}))"


class Lazy:
    """A pattern that compiles on first use: most processes never meet most families."""

    __slots__ = ("_compiled", "_source")

    def __init__(self, source: str) -> None:
        self._source = source
        self._compiled: re.Pattern[str] | None = None

    def get(self) -> re.Pattern[str]:
        if self._compiled is None:
            self._compiled = re.compile(self._source)
        return self._compiled


class Rule:
    """One family of credentials; see the module."""

    __slots__ = ("anchors", "check", "name", "needs", "pattern", "signs")

    def __init__(
        self, name: str, anchors: str, source: str, check: str = "always", needs: str = "", signs: tuple[str, ...] = ()
    ) -> None:
        self.name, self.pattern, self.check = name, Lazy(source), check
        self.anchors = tuple(anchors.split("|"))
        self.needs = tuple(needs.split("|")) if needs else ()  # one of these must stand somewhere, in lower case
        self.signs = signs  # one of these must stand within SIGN_WITHIN characters of the anchor's begin


# How every assignment begins. Words such as "key" are common in prose; what is not assigned there need not wait
# for its pattern, which takes a millisecond to compile.
_SIGNS = (":", "=", "%3", "\\u003", "is", "was")
SIGN_WITHIN = 40  # a name, a number, quotes, stars and eight spaces

# The more specific first: where two overlap, the first one names the mark.
RULES: tuple[Rule, ...] = (
    Rule("private-key", "-----begin",
         rf"-----BEGIN{_PEM}(?:(?:[^-]++|-(?!----))*+-----END{_PEM}|(?:{_BASE64}|[=\s\\])*+)"),
    Rule("aws-secret-key", "akia|asia",
         rf"{_EDGE}A[KS]IA[A-Z0-9]{{16}}[^A-Za-z0-9/+]{{1,8}}(?P<secret>{_BASE64}{{40}})(?!{_BASE64})", "mixed"),
    Rule("aws-secret-key", "key",
         rf"(?i:(?:(?<=secret[_ -]access[_ -])|(?<=secretaccess)|(?<=aws_secret_))key){_ASSIGN}"
         rf"(?P<secret>{_BASE64}{{40}})(?![A-Za-z0-9/+=])", signs=_SIGNS),
    Rule("aws-access-key", "akia|asia", rf"{_EDGE}A[KS]IA[A-Z0-9]{{16}}{_END}"),
    Rule("github-token", "ghp_|gho_|ghu_|ghs_|ghr_", rf"gh[pousr]_[A-Za-z0-9]{{36,255}}{_END}"),
    Rule("github-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    Rule("gitlab-token", "glpat-|gldt-|glrt-", r"gl(?:pat|dt|rt)-[A-Za-z0-9_-]{20,255}", "random"),
    Rule("slack-token", "xox", r"xox[abcdeprs](?:\.xox[bp])?-[A-Za-z0-9%-]{10,255}"),
    Rule("slack-token", "xapp-", r"xapp-[0-9]-[A-Za-z0-9-]{10,255}"),
    Rule("slack-webhook", "hooks.slack.com",
         r"hooks\.slack\.com\\?/(?:services|workflows|triggers)\\?/(?P<secret>[A-Za-z0-9+/\\]{20,255})"),
    Rule("anthropic-key", "sk-ant-", rf"{_EDGE}sk-ant-[A-Za-z0-9_-]{{20,255}}"),
    Rule("openai-key", "sk-", rf"{_EDGE}sk-[A-Za-z0-9_-]{{20,512}}", "random"),
    Rule("google-key", "aiza", rf"AIza[0-9A-Za-z_-]{{35}}{_END}"),
    Rule("google-key", "gocspx-|ya29.", r"(?:GOCSPX-[A-Za-z0-9_-]{28}|ya29\.[0-9A-Za-z_-]{20,512})"),
    Rule("stripe-key", "sk_live_|rk_live_|sk_test_|rk_test_", r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}"),
    Rule("stripe-key", "whsec_", r"whsec_[A-Za-z0-9+/]{24,255}={0,2}"),
    Rule("twilio-key", "sk", rf"{_EDGE}SK[0-9a-f]{{32}}{_END}"),
    Rule("sendgrid-key", "sg.", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    Rule("npm-token", "npm_", rf"npm_[A-Za-z0-9]{{36}}{_END}"),
    Rule("pypi-token", "pypi-", r"pypi-[A-Za-z0-9_-]{50,512}", "random"),
    Rule("huggingface-token", "hf_", rf"{_EDGE}hf_[A-Za-z0-9]{{30,255}}"),
    Rule("telegram-token", ":aa", r"(?<=[0-9]{8}):(?P<secret>AA[A-Za-z0-9_-]{32,33})(?![A-Za-z0-9_-])"),
    Rule("discord-token", ".", r"\.(?<=[A-Za-z0-9_-]{24}\.)[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])",
         "random", needs="discord|bot"),
    Rule("jwt", "eyj",
         rf"{_RUN_EDGE}eyJ[A-Za-z0-9_-]{{8,}}+(?:\.|%2[Ee])eyJ[A-Za-z0-9_-]{{8,}}+(?:(?:\.|%2[Ee])[A-Za-z0-9_-]*+)?"),
    Rule("vault-token", "hvs.|hvb.|hvr.", r"hv[sbr]\.[A-Za-z0-9_-]{24,255}"),
    Rule("age-key", "age-secret-key-1", r"(?i:age-secret-key-1[a-z0-9]{58})"),
    Rule("azure-key", "key",
         rf"(?i:(?:(?<=account)|(?<=sharedaccess))key){_ASSIGN}(?P<secret>(?:{_BASE64}|%2[BFbf]){{40,255}}(?:=|%3[Dd]){{0,2}})",
         signs=_SIGNS),
    Rule("azure-sas", "sig=", r"(?i:sig)=(?P<secret>[A-Za-z0-9+/=_%-]{32,255})", "random"),
    Rule("authorization", "authorization",
         rf"(?i:authorization){_ASSIGN}(?:(?i:bearer|basic|token|digest|apikey|negotiate){_BLANK})?"
         r"(?P<secret>[A-Za-z0-9._~+/=:-]{8,512}+)", "header"),
    Rule("bearer-token", "bearer", rf"(?i:bearer){_BLANK}(?P<secret>[A-Za-z0-9._~+/=-]{{16,512}}+)", "header"),
    Rule("url-password", "://|:\\/\\/|%3a%2f%2f",
         rf"{_HOST}[^\s/?#:@\"'<>\\%]{{0,256}}(?::|%3[Aa])(?P<secret>[^\s/?#\"'<>\\]{{1,256}})(?:@|%40)", "given"),
    Rule("url-token", "://|:\\/\\/", rf"{_HOST}(?P<secret>[A-Za-z0-9_-]{{20,256}}+)(?:@|%40)", "random"),
    Rule("password", "-u |--user ",
         rf"(?:-u|--user)[ =]{{1,2}}{_QUOTE}?[^\s:\"'$]{{1,128}}:(?P<secret>[^\s\"'\\]{{1,256}}+)",
         "given", needs="curl"),
    Rule("password", "login",
         r"(?i:login)\s{1,8}\S{1,128}\s{1,8}(?i:password)\s{1,8}(?P<secret>\S{1,256}+)", "given", needs="machine"),
    Rule("secret", "--",
         rf"--(?:[a-z0-9]{{1,20}}-){{0,3}}(?P<name>password|passphrase|token|secret|api-?key)[ \t]{{1,4}}{_VALUE}",
         "assigned"),
    Rule("secret", "|".join(NAMES),
         rf"{_NAME}(?:_?[0-9]{{1,2}})?{_QUOTE}?{_SIGN}{_VALUE}", "assigned", signs=_SIGNS),
)  # fmt: skip

MARK = Lazy(rf"\[redacted:(?:{'|'.join(sorted({rule.name for rule in RULES}))}):[0-9a-f]{{4}}\]")
REST = Lazy(r"[A-Za-z0-9_+/=~%-]*+")  # of a secret longer than its pattern; matches anything, if only nothing
FIELD = Lazy(rf"{_NAME}s?(?:[_-]?[0-9]{{1,2}})?\Z")  # what a field of an object is called that holds a secret


_SELDOM = "%_zjxq=:-.wkb"  # the more seldom in prose first: one look for it spares looking for its anchors


def _by_gate() -> dict[str, dict[str, tuple[int, ...]]]:
    """Anchors with the numbers of their rules, under a character that stands in them and seldom in prose."""
    found: dict[str, dict[str, tuple[int, ...]]] = {}
    for number, rule in enumerate(RULES):
        for anchor in rule.anchors:
            gate = next((sign for sign in _SELDOM if sign in anchor), "")
            anchors = found.setdefault(gate, {})
            anchors[anchor] = (*anchors.get(anchor, ()), number)
    return found


GATES = tuple((gate, tuple(anchors.items())) for gate, anchors in _by_gate().items())
