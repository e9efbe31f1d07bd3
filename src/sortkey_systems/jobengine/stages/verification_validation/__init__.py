"""The stage verification_validation: proof that what was migrated is what was there, and a report
for people.
"""
