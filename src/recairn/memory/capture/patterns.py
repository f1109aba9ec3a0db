"""The patterns behind the rules. Each looks at one sentence in which code and quotes are masked."""

from __future__ import annotations

import re

from recairn.core.lazy import compiled_later

LEAD = (
    r"(?:(?:please|ok(?:ay)?|so|and|also|but|oh|hey|hi|well|again|yes|yeah|yep|right|sure|great"
    r"|cool|nice|perfect|good|thanks|thank you|thx|btw|by the way|fyi|important|reminder|note|rule"
    r"|convention|policy|personally|honestly|just|(?:one|another)(?: more)? thing"
    r"(?: for (?:the future|later|next time))?"
    r"|going back to this|quick note)"
    r"(?:[,:!.]+|\s-+)?\s+)*"
)
CLAUSE = (
    r"(?:(?:when|whenever|if|before|after|while|for|in|on|with|during|unless|once|inside"
    r"|regarding|as for)\b[^,:?]{2,120}[,:]\s+)?"
)
SUBJECT = (
    r"(?:(?:we|i want you to|i need you to|i'd like you to|make sure(?: to| you| that you)?"
    r"|(?:you|we|everyone|agents)\s+(?:should|must|need to|have to|ought to|are to))\s+)?"
)
PLACE = (
    r"(?:in|for|on|across|within) (?:this|our|the whole|the entire)"
    r" (?:repo|repository|project|codebase|code base|monorepo|team|company|shop|app|package)"
)


def _rule(pattern: str) -> re.Pattern[str]:
    return compiled_later("^" + LEAD + pattern, re.I | re.S)


REMEMBER = _rule(
    r"(?P<asked>(?:can|could|will|would) you (?:please )?|i (?:want|need) you to |try to |"
    r"let's |you (?:should|must|need to) |(?:one|another|one more) thing to )?(?:please )?"
    r"(?:remember|keep in mind|bear in mind|(?:do not|don't|dont) forget"
    r"|(?:make|take) a note|note down|for future reference|for the record"
    r"|(?:add|save|commit) (?:this |that )?to (?:your |the )?memory)"
    r"(?P<joint>(?:,? for (?:next time|later|the future))?(?:\s+that\b|\s*[:,–-]|\s+to\b|))\s*"
    r"(?P<body>.+)$"
)
REMEMBER_AFTER = _rule(r"(?P<body>.{10,}?),? (?:please )?remember (?:that|this)[.!]*$")
# After "remember" without "that" only what is itself a statement is meant to be kept.
STATEMENT = compiled_later(
    r"^(?:we|our|i|i'm|i've|my|you|always|never)\b"
    r"|^(?:the|all|every|this (?:repo|project|team))\b.{2,60}?\b(?:is|are|has|have|must|should"
    r"|needs?|lives?|uses?|runs?|takes?|requires?|only|expects?)\b",
    re.I,
)
STANDING = _rule(
    rf"(?P<body>{CLAUSE}{SUBJECT}(?:always|never|(?:do not|don't|dont) ever)"
    r"(?:,? (?:always|never))?(?:,? (?:under any circumstances?|ever"
    r"|in any case),?)?\s+(?P<verb>[a-z][a-z'-]*)\b.*)$"
)
WE_SUFFER = compiled_later(
    r"\bwe (?:always|never) (?:get|see|have|end|hit|need|struggle|fail|forget|lose|seem|want|know"
    r"|run into|receive)\b",
    re.I,
)
# Part of a name for many things at once; with an article it is one thing, and about the work.
PLAIN_NOUN = (
    r"(?!(?:the|this|that|it|an?|your|my|he|she|they|you|i|there|according|per|function|method)\b)"
    r"[\w\ue010/-]+"
)
PLURAL_STANDING = _rule(
    rf"(?P<body>{CLAUSE}(?:all |every |any |our |no )?{PLAIN_NOUN}(?: {PLAIN_NOUN}){{0,4}}?"
    r" (?:must|should|shall)"
    r" (?:always|never)\s+(?P<verb>[a-z][a-z'-]*)\b.*)$"
)
EVERY_TIME = _rule(
    r"(?P<body>(?:(?:every|each) time (?:you|we|i)\b|whenever (?:you|we)\b|for all future )"
    r"[^,]{3,120},(?!\s*(?:i|it|he|she|they|there|the|a|an|my|our|your|this|that|these|those)\b"
    r"|\s*we (?:see|get|have|lose|run into|end up)\b)\s*.{5,})$"
)
FROM_NOW = _rule(
    r"(?:from (?:now|here|this point|today) on(?:wards?| out| in)?|going forward|henceforth"
    r"|moving forward)[,:]?\s+(?:please\s+|can you\s+|i want you to\s+|i'd like you to\s+)*"
    r"(?!(?:is|are|was|were|with|through|in|the|this|that|it|there|from|line|lines|commit|page|row)"
    r"\b)(?P<body>.+)$"
)
TO_NOW_ON = _rule(
    r"(?:i want you to\s+)?(?P<body>[a-z].{4,300}?)[, ]+(?:from (?:now|here|this point|today) on"
    r"(?:wards?| out| in)?|going forward|moving forward)[.!]*$"
)
NEXT_TIME = _rule(
    r"(?:in (?:the )?future|next time|for (?:the )?future|for next time)[,:]?\s+"
    r"(?:(?:please|you should|you must|i want you to)\s+)*"
    r"(?P<body>(?:always|never|don't|do not|use|run|write|put|keep|prefer|avoid|ask|check|make"
    r"|name|add|call|start|stop|only|read|look|commit|tell|let's|we (?:should|must|only|use"
    r"|need))\b.+)$"
)
WE_DO = r"we (?!have|had|need|see|get|got|want|are|were|still|can|could|may|might)"
IN_PLACE = _rule(
    rf"(?P<body>(?:{PLACE}[,:]?\s+(?:please\s+)?(?:{WE_DO}|use|don't|do not|avoid|prefer|only|keep"
    rf"|write|name|never|always|all|every|no)\b.+|(?:{WE_DO}|use|don't|do not|avoid|prefer|only|all"
    rf"|every|no|keep)\b.+\b{PLACE}))[.!]*$"
)
OUR_WAY = _rule(
    r"(?P<body>we (?:only |never |all )?(?:use|don't use|do not use|don't (?:commit|mock|allow"
    r"|deploy|merge|push|squash|rebase|store|log|ship|import|write|put|name)|do not (?:commit"
    r"|mock|allow|deploy|merge|push|squash|rebase|store|log|ship|import|write|put|name)"
    r"|only (?:commit|deploy|merge|push|release|ship|log|import|write|support|allow|accept))\s+"
    r"(?P<thing>.+))$"
)
OUR_WAY_ENDS = compiled_later(
    r"(?:,? (?:not|never|instead of|rather than|and not) .+| (?:here|everywhere|for everything"
    r"|around here|any ?more)(?: .{0,40})?)$|^we (?:don't|do not) ",
    re.I,
)
DECIDED = _rule(
    r"(?:(?:after|in|at|during|last)\b[^,]{0,80}?,?\s+|(?:yesterday|today),?\s+)?"
    r"(?P<body>(?P<who>we|i|the team|team|everyone)(?:'ve| have| just| all| finally| also| both"
    r"| already)*\s+(?P<how>decided|agreed|settled on|settled|opted|chose|chosen|voted|picked"
    r"|went with|are going with|'re going with)\b\s*(?P<rest>.+))$"
)
# What somebody else decided, or why nobody knows, is a report.
IT_WAS_DECIDED = _rule(
    r"(?P<body>it(?:'s been| (?:was|has been|is)) (?:finally |already )?decided"
    r" (?P<rest>(?:that|to|on|against)\b.+))$"
)
# Of our own making, or said to be new: else "the rule is" tells of the code.
OUR_RULE = _rule(
    r"(?:(?:our|my|the team's|team|project|repo|house|new|another|general)(?: [\w-]+){0,3}?"
    r" (?:rule|convention|policy|guideline|standard)s?(?: here)?(?:\s+(?:is|are)\b(?: that\b|:)?|:)"
    r"|as a (?:general )?rule,|(?:rule|convention|policy):)\s+(?P<body>\S.{7,})$"
)
DECISION = _rule(r"(?:final )?(?:decision|decided|agreed)\s*[:–-]\s*(?P<body>.+)$")
GO_WITH = _rule(
    r"(?P<body>(?:(?:let's|lets|we'll|we will|we're|we are|i'll|i think we should|we should)"
    r"\s+(?:go|going|stick|stay|settle)|(?P<bare>going|sticking|staying))\s+(?:with|on|to)"
    r"\s+(?P<rest>.+))$"
)
CHANGE_TO = _rule(
    r"(?P<body>(?:let's|lets|we'll|we will|we're|we are)\s+(?:going to\s+)?(?:use|using|switch"
    r"|switching|move|moving|migrate|migrating|standardi[sz]e|standardi[sz]ing|keep|keeping|drop"
    r"|dropping|adopt|adopting)\s+(?P<rest>.+))$"
)
# Words for a choice that also tell of a meal or a vote: a purpose or a reason has to follow.
LOOSE = ("agreed", "chose", "chosen", "picked", "went with", "opted", "voted")
# What was decided is that nothing is decided, or that somebody looks into it.
UNDECIDED = compiled_later(
    r"^(?:on |that |to |upon )?(?:nothing|none|neither|no decision|pending|open|tbd|not yet|nobody"
    r"|still|disagree|wait|not to decide|decide (?:later|tomorrow|next|when|in)"
    r"|(?:postpone|defer|delay)\b[^.]*\b(?:decision|choice|choosing|deciding)"
    r"|look (?:into|at|for)|think|talk|discuss|revisit|investigate|explore|evaluate|compare|meet"
    r"|see (?:how|what|whether|if))\b",
    re.I,
)
_MEAL = r"(?:lunch|breakfast|dinner|supper|coffee|tea|beers?|pizza|sushi|drinks?|snacks?)"
# What people do beside their work.
PRIVATE = compiled_later(
    r"^(?:to |on |for )?(?:(?:go|grab|get|have|eat|order|take|leave|skip|drink|head|drive|walk"
    rf"|stay|cook)\b[^.]{{0,40}}?\b(?:{_MEAL}|home|early|a (?:break|walk|nap)|bed|zoo"
    r"|(?:the )?(?:day|week|morning|afternoon|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s? off)\b"
    rf"|sleep|nap|call it a day|{_MEAL}\b)",
    re.I,
)
# What one person decides is meant to last where it is said of the work: in such words.
WORKING = compiled_later(
    r"^(?:on|that|for|against)\b|^(?:not )?to (?:not )?(?:use|keep|store|move|split|drop|switch"
    r"|write|support|replace|put|name|rename|remove|merge|add|build|make|run|ship|deploy|migrate"
    r"|stick|go with|stay (?:with|on)|cache|log|pin|treat|allow|disable|enable|expose|index|encode"
    r"|avoid|test|mock|return|load|save|call|set|require|implement|rewrite|model|serve|host|sign|wrap"
    r"|validate|version|standardi[sz]e|adopt|refactor|inline|limit|retry|hash|encrypt|generate)\b",
    re.I,
)
# What is only thought of, and what only shows how something else would look.
SUPPOSED = _rule(
    r"(?:maybe|perhaps|possibly|suppos(?:e|ing)|imagine|assum(?:e|ing)|pretend|let'?s (?:say|assume"
    r"|pretend|suppose|imagine)|say we|hypothetically|in theory|theoretically|what if"
    r"|for (?:example|instance)|e\.g\.)(?:\b|(?<=\.))"
)
UNSURE = compiled_later(r",? (?:(?:but )?(?:i'm |i am )?not sure|i guess|or not|maybe)[.!]*$", re.I)
REASONED = compiled_later(r"\b(?:instead of|rather than|because|since|due to|so that)\b", re.I)
NO = compiled_later(
    r"^(?:no+|nope|nah|wrong|incorrect|not quite|that's (?:wrong|not right|incorrect|not what i"
    r" (?:meant|said|asked))|that is (?:wrong|not right|incorrect))[,.!;:–— -]+"
    r"(?:(?:actually|please|again|no|like i said|as i said|i said|i meant|you should|we said)"
    r"[, ]+)*(?P<body>\S.*)$",
    re.I | re.S,
)
BARE_NO = compiled_later(
    r"^(?:no+|nope|nah|wrong|incorrect|that's (?:wrong|not right|incorrect)|that is (?:wrong|not"
    r" right|incorrect)|not like that|no no)[.!]*$",
    re.I,
)
CORRECTING = compiled_later(
    r"^(?:use|we use|we don't|we do not|don't|do not|always|never|prefer|call it|name it"
    r"|it should be|it's|it is|the|our|my)\b",
    re.I,
)
CONTRAST = compiled_later(r"(?:,| and)? (?:not|instead of|rather than|never)\s+\S", re.I)
IS = compiled_later(
    r"^(?:the|our|my)\b.{2,60}?\b(?:is|are|lives?|runs?|uses?|goes?|belongs?)\b", re.I
)
USE_NOT = _rule(
    r"(?P<body>use (?P<this>(?:[^,.]|\.(?=\w)){1,40}?),? (?:(?:and )?not|never|instead of"
    r"|rather than)"
    r" (?P<other>(?:[^,.]|\.(?=\w)){1,40}))[.!]*$"
)
TOLD = _rule(
    r"(?:i|we)(?:'ve| have)?\s+(?:already |just |repeatedly )*(?:told|asked|reminded) you"
    r"(?: (?:before|already|again|twice|many times|a hundred times|multiple times|earlier))*"
    r"[,:]?\s+(?P<joint>that\b|to\b|not to\b|never to\b|(?=(?:no|don't|do not|use|never|always"
    r"|stop|keep|write|run|avoid|only|we)\b))\s*(?P<body>.+)$"
)
AS_SAID = _rule(
    r"(?:as|like) i (?:already )?(?:said|told you|mentioned)(?: before| earlier| already)?[,:]\s+"
    r"(?P<body>(?:use|don't|do not|never|always|we|our|avoid|prefer"
    r"|(?:the|our)\b.{2,60}?\b(?:is|are))\b.+)$"
)
HOW_MANY = _rule(r"how many times [^,.?!]*?(?P<joint>not to|to)\s+(?P<body>.+?)[?!.]*$")
SAID_AFTER = _rule(
    r"(?P<body>(?:don't|do not|stop|use|never|always|avoid)\b.+?)[,;–— -]+(?:like |as )?"
    r"(?:i|we)(?:'ve| have)?\s*(?:already |just )?(?:told|said|asked|mentioned)\b.*$"
)
STOP = _rule(r"(?P<body>stop\s+(?P<verb>[a-z]+ing)\b\s+.{3,})$")
PREFER = _rule(
    r"(?P<body>i(?:'d| would| do)?\s+(?:really |strongly |usually |generally |always |much"
    r" |personally )*(?:prefer|rather(?: have| you| we| use| keep| not)|like it when|don't like"
    r" (?:it )?when|do not like (?:it )?when|hate (?:it )?when|hate|dislike)\b\s*(?P<rest>.+)"
    r"|my preference is\s+.+)$"
)

QUESTION = compiled_later(
    rf"^{LEAD}(?:why|how|what|who|where|which|do(?! not\b)|does|did|is|are|was|were|should|shall"
    r"|can|could|would|will|may|might|has|had|am|isn't|aren't|doesn't|didn't|won't|wouldn't"
    r"|shouldn't|couldn't|have (?:you|we|i)|don't (?:you|we|i|they)\b|any idea|i wonder"
    r"|not sure)\b",
    re.I,
)
# What is only meant for the work at hand.
LOCAL = compiled_later(
    r"\b(?:for now|this time|just this once|for the moment|right now|until (?:i|we|then|tomorrow)"
    r"|yet|today|tonight|for this (?:one|task|change|pr|test|step)|(?:in|on|to|from"
    r"|of) (?:this|that)"
    r" (?:file|function|test|method|class|branch|case|pr|commit|line|module|one|step|change|task"
    r"|page|component|table|query|loop|endpoint|script|screen|section|diff|part|example)"
    r"|in the (?:above|snippet|example|following))\b"
    r"|\b(?:in|to|from) [\w./-]+\.(?:py|js|jsx|ts|tsx|go|rs|java|rb|md|json|ya?ml|toml|sql|sh|c|h"
    r"|cpp|css|html)\b",
    re.I,
)
# What is to be remembered for the day, or until the work is done.
SOON = compiled_later(
    r"\b(?:today|tonight|tomorrow|this (?:morning|afternoon|evening|week)|right now|at the end"
    r"|when (?:you(?:'re| are)|we(?:'re| are)) (?:done|finished|ready|through)"
    r"|before you (?:finish|stop|are done)|afterwards)\b",
    re.I,
)
POINTING = compiled_later(
    r"^(?:to |on |for |with )?(?:that|this|it|its|those|these|them|option|plan|approach|number"
    r"|choice|solution|version|the (?:first|second|third|last|latter|former|other|same|one|above"
    r"|approach|plan|option|idea|current|new|old|original|simpler|simple|safer|next|default"
    r"|flow)|your"
    r"|yours|\d+|one(?!-)|both|neither|either|[abc])\b",
    re.I,
)
PRONOUN = compiled_later(
    r"\b(?:it|them)\b|\b(?:that|this|those|these)(?=$|[,.!]| (?:again|any ?more|way|here|there|for"
    r"|in|on|to)\b)",
    re.I,
)
ARTICLE = compiled_later(
    r"^(?:an?|the|this|that|it|its|my|your|one|two|some|any|him|her|them)\b", re.I
)
NOT_ORDERED = frozenset(
    "mind the a an been had has was were is are seen saw got gets did does happened heard knew"
    " again say said ever really quite thought tried wanted felt went came took made gave"
    " found lost"
    " true false null none green red empty zero wrong right broken slow fast available same there"
    " here so too just like enough fun good bad nice hard easy easier better more less one two"
    " understood knew forgot ran wrote broke thanks will would could can may might it this"
    " that these"
    " those they he she i you we my your his her their its our in on at to of for from with".split()
)
BASE_IN_ED = frozenset("need embed feed seed speed proceed exceed succeed shed heed".split())
BASE_IN_ING = frozenset("bring string ping ring spring".split())
RUNNING = frozenset("running listening serving polling processing working going being".split())
REASON = compiled_later(
    r"[,;]?\s+(?:because(?: of)?|since|due to|so that"
    r"|as(?= (?:the|we|our|it|its|they|this|that|there|you|i|all|most)\b))\s+(?P<why>.+)$",
    re.I,
)
ALTERNATIVE = compiled_later(
    r"[,;]?\s+(?:instead of|rather than|over|and not|not)\s+(?P<other>.+?)"
    r"(?=[,;]?\s+(?:because|since|due to|so that|for|as)\b|[.!]*$)",
    re.I,
)
