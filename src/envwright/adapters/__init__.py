"""Other libraries' interfaces: Gymnasium, PettingZoo, gymnax and PureJaxRL, Brax."""
