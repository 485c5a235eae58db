"""The Env protocol and what every other room stands on."""
