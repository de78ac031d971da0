"""
Labels that follow each other
=============================

Sentences of a small artificial language, in which "walk" and "dance" may be nouns or verbs. Only the context tells which, and the tagger
learns which label follows which.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import PerceptronTagger
from rosenblatt.features import word

random = np.random.default_rng(0)
WORDS = {
    "D": ["the", "a"],
    "A": ["long", "new"],
    "N": ["dog", "walk", "dance"],
    "V": ["sees", "walk", "dance"],
}
PLANS = [list("DNV"), list("DANV"), list("DNVDN"), list("DANVDAN")]
tags = [PLANS[i] for i in random.integers(0, 4, 120)]
sentences = [[random.choice(WORDS[tag]).item() for tag in plan] for plan in tags]

tagger = PerceptronTagger(templates=[word[0]], random_state=0).fit(sentences[:80], tags[:80])
alone = PerceptronTagger(templates=[word[0]], transitions=False, random_state=0).fit(
    sentences[:80], tags[:80]
)
for name, learner in (("with transitions", tagger), ("without", alone)):
    print(f"{learner.score(sentences[80:], tags[80:]):.2f} of the tokens right {name}")
print(tagger.predict([["the", "walk", "dance"], ["a", "new", "dance", "walk"]]))

# %%
# The transition weights: the score of each label after each other.

plt.figure(figsize=(4.5, 4), layout="constrained")
plt.imshow(tagger.transitions_, cmap="RdBu_r", vmin=-8, vmax=8)
plt.xticks(range(5), [*tagger.classes_, "end"])
plt.yticks(range(5), [*tagger.classes_, "start"])
plt.xlabel("label")
plt.ylabel("label before")
plt.colorbar(label="score")
plt.show()
