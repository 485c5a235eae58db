"""Plotly figures, one module for each question. Colours are names of the style sheet."""
