"""The trust report: does what the maps show really happen in this model, and does nothing else?"""

from core.verify.checking import verify
from core.verify.report import MEANING, Check, TrustReport

__all__ = ["MEANING", "Check", "TrustReport", "verify"]
