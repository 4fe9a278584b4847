"""Online evaluation of rankers, simulated: judged data, interleaving, clicks, dueling bandits."""
