"""Points of a loyalty scheme."""
from .account import Account, Entry, InsufficientPoints, InvalidRedemption
from .tiers import Tier, tier_for

__all__ = ["Account", "Entry", "InsufficientPoints", "InvalidRedemption", "Tier", "tier_for"]
