"""The reference: Showdown simulator in Node.js."""
