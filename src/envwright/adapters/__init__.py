"""Adapters to other libraries: Gymnasium, PettingZoo, gymnax, PureJaxRL, Brax, PufferLib."""
