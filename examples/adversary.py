"""
An adversary that reaches the bound
===================================

The game of the sources with both its players: A shows points that some plane separates with margin γ, and B learns. The theorem says
that B errs at most R/γ² times. A random player comes nowhere near; one that shows only points orthogonal to all
before reaches it, to the last mistake.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import arena

rules = arena.Rules(u=np.ones(100), margin=0.1, radius_squared=1.0)
players = {
    "random": arena.Random(seed=0),
    "greedy": arena.Greedy(stop=False),
    "orthogonal": arena.Orthogonal(),
}
matches = {name: arena.Match(arena.Classification(100), rules) for name in players}
for name, player in players.items():
    played = matches[name].play(player, rounds=200)
    print(f"{name:10}: {sum(round.wrong for round in matches[name].rounds):3} mistakes in {played} rounds")

# %%
# The greedy player shows the point of smallest margin, and thereby teaches B the most.

for name, match in matches.items():
    plt.plot(np.cumsum([0, *(round.wrong for round in match.rounds)]), label=name)
plt.axhline(100, color="black", linestyle="--", label="R/γ²")
plt.xlabel("rounds")
plt.ylabel("mistakes")
plt.legend()
plt.show()

# %%
# The proof, with the numbers of that match: every inequality is an equality.

print(arena.prove(matches["orthogonal"]).line(100))
