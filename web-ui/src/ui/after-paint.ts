/** Runs what a press asked for after the next paint, so that the control answers before a page is drawn with it. */
export const afterPaint = (run: () => void): void => {
  requestAnimationFrame(() => setTimeout(run))
}
