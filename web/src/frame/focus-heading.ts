/** A page that shows no heading for so long keeps the focus on its main part. */
const LONGEST_WAIT = 10_000

/**
 * Gives the focus to the heading of a new page, as soon as the page shows one and unless the visitor has moved on. Returns the
 * function that gives up.
 */
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
  const timer = setTimeout(() => stop(), LONGEST_WAIT)
  const stop = () => {
    watch.disconnect()
    clearTimeout(timer)
  }
  watch.observe(main, { childList: true, subtree: true })
  take()
  return stop
}
