"""Invoices, their taxes and what is still open."""
