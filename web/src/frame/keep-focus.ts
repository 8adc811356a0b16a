const REGIONS = 'section, article, li, form, main'
/** Longer than a frame, in milliseconds. */
const AFTER_RENDER = 50

/**
 * Keeps the focus in the page. When the focused control disappears or is disabled, or a dialog closes, the focus goes to the control that
 * had it before, as soon as possible, otherwise to the region around it. Never to `body`. Returns a cleanup function.
 */
export function keepFocus(): () => void {
  /** The last focused control outside of dialogs, and the regions around it, innermost first. */
  let last: HTMLElement | null = null
  let regions: HTMLElement[] = []
  let wasInDialog = false
  /** Region that has the focus in place of `last`. */
  let standIn: HTMLElement | null = null

  const remember = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement) || target === standIn) return
    wasInDialog = target.closest('dialog') !== null
    if (wasInDialog) return
    last = target
    standIn = null
    regions = []
    const outer = (of: HTMLElement) => of.parentElement?.closest<HTMLElement>(REGIONS)
    for (let at = outer(target); at; at = outer(at)) regions.push(at)
  }
  // A press on the background removes the focus on purpose.
  const forget = () => {
    last = null
    standIn = null
  }
  const restore = () => {
    const { activeElement, body } = document
    const isLost = activeElement === null || activeElement === body || activeElement === standIn
    if (!isLost || !last || document.querySelector('dialog[open]')) return
    if (last.isConnected && !last.matches(':disabled')) {
      if (wasInDialog || standIn) last.focus({ preventScroll: true })
      return
    }
    if (standIn?.isConnected) return
    standIn = regions.find((region) => region.isConnected) ?? null
    if (!standIn) return
    if (!standIn.hasAttribute('tabindex')) standIn.tabIndex = -1
    standIn.focus({ preventScroll: true })
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  // Later, because the focus may be on its way to another control. A browser takes it from a disabled control only when it renders.
  const watch = new MutationObserver(() => {
    clearTimeout(timer)
    timer = setTimeout(restore, last?.matches(':disabled') ? AFTER_RENDER : 0)
  })
  watch.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['disabled'],
  })
  document.addEventListener('focusin', remember)
  document.addEventListener('pointerdown', forget, { capture: true })
  return () => {
    clearTimeout(timer)
    watch.disconnect()
    document.removeEventListener('focusin', remember)
    document.removeEventListener('pointerdown', forget, { capture: true })
  }
}
