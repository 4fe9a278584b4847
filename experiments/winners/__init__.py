"""Winners of a preference matrix by every notion in use, and the order behind them."""
