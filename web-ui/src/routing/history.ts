import { createStore } from '../state/create-store.ts'

export interface Step {
  pathname: string
  query: string
  /** sessionStorage key of the scroll position. */
  key: string
  /** `left`: the position at which the visitor left. */
  scroll: 'top' | 'left' | 'stay'
}

const SCROLLED = 'scrolled:'
/** Maximum wait, in milliseconds, for the page to reach its height. */
const MAX_WAIT = 5000

const newKey = () => Math.random().toString(36).slice(2)
/** Null after the browser navigated to a fragment. */
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
    // Without storage, pages start at the top.
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

/** Navigates to a page. `stay` keeps the scroll position. */
export function go(href: string, { replace = false, stay = false } = {}): void {
  keepScroll()
  const isHere = href === location.pathname + location.search
  if (replace || isHere) history.replaceState({ key: currentStep.get().key }, '', href)
  else history.pushState({ key: newKey() }, '', href)
  currentStep.set(stepNow(stay ? 'stay' : 'top'))
}

/** Scrolls to the initial position while the content grows. Returns a cleanup function. */
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
