/** Runs a function after the next paint, so that a pressed control updates first. */
export const afterPaint = (run: () => void): void => {
  requestAnimationFrame(() => setTimeout(run))
}
