// A match as a film: as many rounds a second as asked for, one picture for each frame of the screen.

export class Replay {
  /** `show` draws the match after so many rounds, and `end` says that the film stopped. */
  constructor(button, speed, show, end) {
    Object.assign(this, { button, speed, show, end, running: false });
  }

  /** Play from this round up to another, or stop if it plays. */
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
