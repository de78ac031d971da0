// The four games: their titles, the strategies of A, and the labels.

export const MODES = {
  plane: {
    title: "The plane",
    story: "A shows an example outside the grey: at least γ from the line that u stands on, within the circle. B answers with v_k, " +
      "and after a mistake adds y·x. The dotted line projects v_k on u. In many dimensions, right is along u, and up is the distance from it.",
    strategies: { random: "random", greedy: "greedy: most wrong", orthogonal: "orthogonal (many dimensions)" },
    labels: [["side", "the side u says"], ["1", "+"], ["-1", "−"]],
  },
  kernel: {
    title: "A kernel",
    story: "No line separates these examples, but in the space of a kernel a plane may. Rings are stored examples, sized by |α|.",
    strategies: { data: "the examples, again and again" },
    labels: [["1", "+"], ["-1", "−"]],
  },
  ranking: {
    title: "Lists",
    story: "A shows a list of points; B names the best (ringed) by its order along v_k. ★ is the best according to A, that is along u.",
    strategies: { random: "random", greedy: "greedy: most wrong" },
  },
  sequence: {
    title: "Sentences",
    story: "A shows a sentence; B labels its words by the best path through the lattice. Solid: B's path. Dashed: the true one.",
    strategies: { random: "random", greedy: "greedy: most wrong" },
  },
};
