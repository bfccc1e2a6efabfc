"""What each provider's wire format allows: rules, findings, renderers. Standard library only."""
