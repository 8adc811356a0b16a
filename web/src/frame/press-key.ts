/** The parts of a page that a key of its own leads to say so with `aria-keyshortcuts`. */
const KEYS = ['F', 'S', 'B', 'O', 'W', '[', ']']
const ONE_OF_MANY = 'article, tr, li'
const PRESSED = 'button, a[href]'
const CONTROLS = 'a[href], button, input, select, summary'

/** Presses the control of a key: that of the card or line with the focus, else that of the page. Returns whether there is one. */
export function pressKey(typed: string): boolean {
  const key = typed.toUpperCase()
  if (!KEYS.includes(key)) return false
  const all = [...document.querySelectorAll<HTMLElement>(`[aria-keyshortcuts="${key}"]`)].filter(
    (each) => each.checkVisibility() && !each.matches(':disabled'),
  )
  const one = document.activeElement?.closest(ONE_OF_MANY)
  const found = all.find((each) => one?.contains(each)) ?? all.find((each) => !each.closest(ONE_OF_MANY))
  if (!found) return false
  if (found.matches(PRESSED)) {
    found.focus()
    found.click()
  }
  // A group gives the focus to the control that Tab would reach.
  else [...found.querySelectorAll<HTMLElement>(CONTROLS)].find((each) => each.tabIndex === 0)?.focus()
  return true
}
