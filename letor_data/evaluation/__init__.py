"""How good rankings of judged documents are: measures by name, exact in expectation over ties."""
