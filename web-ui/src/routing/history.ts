import { createStore } from '../state/create-store.ts'

/** A step of the browser's history. */
export interface Step {
  pathname: string
  /** The search parameters as they stand in the address, with their question mark. */
  query: string
  /** The name under which the browser keeps the scroll position of this step. */
  key: string
  /** The place at which the page begins: its top, the one it was left at, or that of the page before it. */
  scroll: 'top' | 'left' | 'stay'
}

const SCROLLED = 'scrolled:'
/** A page whose content has not come for so long stays where it is. */
const LONGEST_WAIT = 5000

const newKey = () => Math.random().toString(36).slice(2)
/** Null: the browser itself went to another part of the same page. */
const keyNow = (): string | null => (typeof history.state?.key === 'string' ? history.state.key : null)

history.scrollRestoration = 'manual'
if (keyNow() === null) history.replaceState({ key: newKey() }, '')

const stepNow = (scroll: Step['scroll']): Step => ({
  pathname: location.pathname,
  query: location.search,
  key: keyNow()!,
  scroll,
})
/** The step that is shown now. */
export const currentStep = createStore(stepNow('left'))

function keepScroll(): void {
  try {
    sessionStorage.setItem(SCROLLED + currentStep.get().key, String(Math.round(scrollY)))
  } catch {
    // A browser that refuses storage shows each page from its top.
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

/** Goes to an address of these pages. `replace`: in the place of the present step; `stay`: without scrolling. */
export function go(href: string, { replace = false, stay = false } = {}): void {
  keepScroll()
  const isHere = href === location.pathname + location.search
  if (replace || isHere) history.replaceState({ key: currentStep.get().key }, '', href)
  else history.pushState({ key: newKey() }, '', href)
  currentStep.set(stepNow(stay ? 'stay' : 'top'))
}

/** Scrolls a page that is shown now to where it begins; returns the function that gives up while its content is yet to come. */
export function scrollTo({ key, scroll }: Step): () => void {
  const top = scroll === 'left' ? keptScroll(key) : 0
  if (scroll !== 'stay') window.scrollTo(0, top)
  if (scroll === 'stay' || scrollY >= top) return () => {}
  const grown = new ResizeObserver(() => {
    window.scrollTo(0, top)
    if (scrollY >= top) stop()
  })
  const timer = setTimeout(() => stop(), LONGEST_WAIT)
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
