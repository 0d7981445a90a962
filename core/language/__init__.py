"""The language of the sentences that a user reads: `tr`, `plural` and `message`, and the catalogues beside this file."""

from core.language.catalogue import CATALOGUES as CATALOGUES
from core.language.catalogue import SOURCE as SOURCE
from core.language.catalogue import ask as ask
from core.language.catalogue import codes as codes
from core.language.catalogue import counted as counted
from core.language.catalogue import language as language
from core.language.catalogue import languages as languages
from core.language.catalogue import localised as localised
from core.language.catalogue import marks as marks
from core.language.catalogue import message as message
from core.language.catalogue import numeral as numeral
from core.language.catalogue import plural as plural
from core.language.catalogue import speaking as speaking
from core.language.catalogue import spoken as spoken
from core.language.catalogue import tr as tr
from core.language.catalogue import use as use
