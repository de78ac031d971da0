"""
An adversary who reaches the bound
==================================

The game of the sources with both its players: A shows points that some plane separates with margin γ, and B learns. The theorem says
that B errs at most R/γ² times. A player by chance comes nowhere near; one who shows only what is orthogonal to
everything before reaches it, to the last mistake.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import arena

rules = arena.Rules(u=np.ones(100), margin=0.1, radius_squared=1.0)
players = {
    "by chance": arena.Random(seed=0),
    "greedy": arena.Greedy(stop=False),
    "orthogonal": arena.Orthogonal(),
}
matches = {name: arena.Match(arena.Classification(100), rules) for name in players}
for name, player in players.items():
    played = matches[name].play(player, rounds=200)
    print(f"{name:10}: {sum(round.wrong for round in matches[name].rounds):3} mistakes in {played} rounds")

# %%
# The greedy player shows what B is most wrong about, and thereby teaches it the most.

for name, match in matches.items():
    plt.plot(np.cumsum([0, *(round.wrong for round in match.rounds)]), label=name)
plt.axhline(100, color="black", linestyle="--", label="R/γ²")
plt.xlabel("rounds")
plt.ylabel("mistakes")
plt.legend()
plt.show()

# %%
# The proof, with the numbers of that match: all of it is equalities.

print(arena.prove(matches["orthogonal"]).line(100))
