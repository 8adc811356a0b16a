import { createStore } from '../state/create-store.ts'

/** A step of the browser's history. */
export interface Step {
  pathname: string
  /** The query string, with its question mark. */
  query: string
  /** Key under which sessionStorage keeps the scroll position of this step. */
  key: string
  /** Initial scroll position: the top, where the visitor left this step, or unchanged. */
  scroll: 'top' | 'left' | 'stay'
}

const SCROLLED = 'scrolled:'
/** Stop waiting for the content to grow to the stored position after this long, in milliseconds. */
const MAX_WAIT = 5000

const newKey = () => Math.random().toString(36).slice(2)
/** Null after the browser itself navigated to a fragment of the same page. */
const keyNow = (): string | null => (typeof history.state?.key === 'string' ? history.state.key : null)

history.scrollRestoration = 'manual'
if (keyNow() === null) history.replaceState({ key: newKey() }, '')

const stepNow = (scroll: Step['scroll']): Step => ({
  pathname: location.pathname,
  query: location.search,
  key: keyNow()!,
  scroll,
})
export const currentStep = createStore(stepNow('left'))

function keepScroll(): void {
  try {
    sessionStorage.setItem(SCROLLED + currentStep.get().key, String(Math.round(scrollY)))
  } catch {
    // Storage is disabled: pages start at the top.
  }
}

function keptScroll(key: string): number {
  try {
    return Number(sessionStorage.getItem(SCROLLED + key))
  } catch {
    return 0
  }
}

addEventListener('pagehide', keepScroll)
addEventListener('popstate', () => {
  if (keyNow() === null) return
  keepScroll()
  currentStep.set(stepNow('left'))
})

/** Navigates to an address of the app. `replace` replaces the current history entry; `stay` keeps the scroll position. */
export function go(href: string, { replace = false, stay = false } = {}): void {
  keepScroll()
  const isHere = href === location.pathname + location.search
  if (replace || isHere) history.replaceState({ key: currentStep.get().key }, '', href)
  else history.pushState({ key: newKey() }, '', href)
  currentStep.set(stepNow(stay ? 'stay' : 'top'))
}

/** Scrolls to where a step begins and repeats it while the content grows. Returns a function that stops the attempts. */
export function scrollTo({ key, scroll }: Step): () => void {
  const top = scroll === 'left' ? keptScroll(key) : 0
  if (scroll !== 'stay') window.scrollTo(0, top)
  if (scroll === 'stay' || scrollY >= top) return () => {}
  const grown = new ResizeObserver(() => {
    window.scrollTo(0, top)
    if (scrollY >= top) stop()
  })
  const timer = setTimeout(() => stop(), MAX_WAIT)
  const stop = () => {
    clearTimeout(timer)
    grown.disconnect()
    for (const kind of VISITOR_MOVES) removeEventListener(kind, stop)
  }
  for (const kind of VISITOR_MOVES) addEventListener(kind, stop, { passive: true })
  grown.observe(document.body)
  return stop
}

const VISITOR_MOVES = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const
