"""CartPole-v1, after Gymnasium's."""
