/** Maximum wait for a heading, in milliseconds. */
const MAX_WAIT = 10_000

/** Focuses the heading of a new page, unless the visitor moved the focus. Returns a cleanup function. */
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
