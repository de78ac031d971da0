// A match as an animation: a given number of rounds per second, drawn once per frame.

export class Replay {
  /** `show` draws the match after a number of rounds; `end` is called when the animation stops. */
  constructor(button, speed, show, end) {
    Object.assign(this, { button, speed, show, end, running: false });
  }

  /** Play from one round to another, or stop if it plays. */
  toggle(from, to) {
    if (this.running) {
      this.stop();
      this.end();
      return;
    }
    this.running = true;
    this.button.setAttribute("aria-pressed", "true");
    let before = null, due = from === to ? 0 : from, shown = -1;
    const frame = (now) => {
      if (!this.running) return;
      due = Math.min(to, due + (before === null ? 0 : ((now - before) / 1000) * Number(this.speed.value)));
      before = now;
      if (Math.floor(due) !== shown) this.show(shown = Math.floor(due));
      if (shown < to) requestAnimationFrame(frame);
      else this.toggle();
    };
    requestAnimationFrame(frame);
  }

  stop() {
    this.running = false;
    this.button.setAttribute("aria-pressed", "false");
  }
}
