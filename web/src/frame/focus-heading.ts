/** Maximum wait for a heading, in milliseconds. After that, the main element keeps the focus. */
const MAX_WAIT = 10_000

/** Focuses the heading of a new page when it is rendered, unless the visitor has moved the focus. Returns a function that stops waiting. */
export function focusHeading(main: HTMLElement): () => void {
  main.focus({ preventScroll: true })
  const take = () => {
    const heading = main.querySelector('h1')
    if (!heading) return
    stop()
    if (document.activeElement !== main) return
    heading.tabIndex = -1
    heading.focus({ preventScroll: true })
  }
  const watch = new MutationObserver(take)
  const timer = setTimeout(() => stop(), MAX_WAIT)
  const stop = () => {
    watch.disconnect()
    clearTimeout(timer)
  }
  watch.observe(main, { childList: true, subtree: true })
  take()
  return stop
}
