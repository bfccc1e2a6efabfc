"""Route by rules that know what a word does in its sentence: imperatives stop, mentions and negations do not.

Written from the ``train`` half of the labelled messages alone; ``simlab router-eval`` measures them on the other.
"""

import re
from typing import Final

from simlab.core.events import Event, Handling, Verdict
from simlab.core.plugins import AT_ONCE, Hints
from simlab.routers.typed import by_its_type

QUOTED: Final = re.compile(r"“[^”]*”|《[^》]*》|\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)")
"""What somebody else says, or a name: taken out before anything is looked for."""

INNOCENT: Final = re.compile(
    # a stop word inside another word, or an instruction to go on
    r"特别|区别|识别|性别|停车|经停|停靠|停用词|等一下午|取消费|别忘|别停|不要停|不用等|不用担心|不必"
    r"|\b(?:don'?t|do not|never|no need to|not) (?:stop|wait|cancel|forget|worry|hurry|mind|interrupt)\w*"
    r"|\bhold on to\b|\binstead of\b",
    re.IGNORECASE,
)
_START: Final = r"(?:^|[.,;:!?]\s*|\b(?:please|supervisor|no|hey|oh|ok|now|and)[,:]?\s+)"
STOP: Final = re.compile(
    _START
    + r"(?:stop|cancel|abort|halt|wait|hold (?:on|off)|hang on|pause|quit|kill|undo|revert|suspend|cease|cut|drop"
    r"|freeze|forget it|never ?mind|scratch that|enough|leave (?:it|them) alone|hands off|take your hands off)\b"
    r"|" + _START + r"(?:don'?t|do not) \w+"
    r"|\bmust not\b|\bnot (?:be )?sen[dt]\w*|\bnot sending\b|\bleave the \w+ out\b|\blet the \w+ rest\b"
    r"|\bwrong (?:branch|file|name|spreadsheet|person|city|account)\b|\b(?:not|isn't) the \w+ I meant\b"
    r"|(?:^|[，。！；：,、]|请|先|立即|立刻|马上|赶紧|快|那就)\s*"
    r"(?:停|叫停|取消|等一下|等等|别|不要|撤销|撤回|回滚|中止|中断|终止|停止|暂停|作废|放弃|算了|打住|放回|冻结|关掉)"
    r"|千万不能|错了|错卡|不能发|缓一缓|放一放|先不|关掉|口误",
    re.IGNORECASE,
)
DANGER: Final = re.compile(
    r"\bproduction\b|\blive (?:database|table)\b|\breal customers\b|\bold account\b|\bnot my\b|\bsomebody else's\b"
    r"|\bleak(?:ed)?\b|\bwithdrew\b|\bis down\b|\bare failing\b|\bdisk full\b|\btriggered\b|^no, |\babout to be\b"
    r"|正式库|正式环境|真实客户|旧账号|不是我|人家的|打不开|报警|写满|失败率|骗子|收回|不是这个|嘘",
    re.IGNORECASE,
)
ABOUT_THE_WORK: Final = re.compile(
    r"\byou (?:\w+ )?(?:picked|ran|chose|find|found|choose)\b|\bdid (?:you|the|it)\b|\bso far\b|\bin the end\b|\bthat\b"
    r"|\bthe (?:draft|build|tests?|report|migration|refund|summary)\b|\bwhile you'?re at it\b|\bhow far\b"
    r"|\bafter that\b"
    r"|你(?:选|刚|查)|这个(?!季度|月|星期)|那个|草稿|目前|最后|到底|进行|通过|这份|那份|顺便把|之后|做完",
    re.IGNORECASE,
)
ASIDE: Final = re.compile(
    r"(?:^|[.,;:?!]\s*|\b(?:know|asks|just|me|btw|way)\s+)"
    r"(?:what(?:'s| is| does| time| day| are)?|which|when (?:do|does|is)|who|how (?:do|tall|many|long)|is (?:there|it)"
    r"|is tomorrow|do (?:you|we|they)|convert|tell me)\b.*\??"
    r"|\b(?:wants|want) to know\b"
    r"|(?<!好吗)[？?]\s*(?:我们?在.*|马上.*|客户在.*|等你.*|孩子.*|一句话.*|我们已经.*)?$"
    r"|告诉我",
    re.IGNORECASE,
)


class Rules:
    """Regular expressions with guards: quotations, negations and words inside words do not count."""

    name = "rules"
    service = AT_ONCE

    def route(self, event: Event, _hints: Hints) -> Verdict:
        """Stop on an imperative or a danger, answer aside a question that is not about the work, else wait.

        The confidence is 1 where a rule applied and 0 where none did.
        """
        if (typed := by_its_type(event)) is not None:
            return typed
        text = INNOCENT.sub(" ", QUOTED.sub(" ", event.content))
        if (found := ASIDE.search(text)) is not None and not ABOUT_THE_WORK.search(text) and not _stops_first(text):
            return Verdict(handling=Handling.PARALLEL, reason=f"question {found.group()!r}")
        if (found := STOP.search(text) or DANGER.search(text)) is not None:
            return Verdict(handling=Handling.CANCEL, reason=f"word {found.group().strip()!r}")
        if text != event.content or ABOUT_THE_WORK.search(text):
            return Verdict(handling=Handling.QUEUE, reason="about the work")
        return Verdict(handling=Handling.QUEUE, confidence=0.0, reason="no word")

    def latency_ms(self, _event: Event, _hints: Hints) -> float:
        """No time."""
        return 0.0


def _stops_first(text: str) -> bool:
    """Whether the text opens with an imperative, whatever it asks afterwards."""
    return STOP.match(text) is not None
