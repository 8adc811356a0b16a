/** Runs a function after the next paint, so that a pressed control updates before an expensive render. */
export const afterPaint = (run: () => void): void => {
  requestAnimationFrame(() => setTimeout(run))
}
