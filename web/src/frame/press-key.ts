/** The parts of a page that a key of its own leads to say so with `aria-keyshortcuts`. */
const KEYS = ['F', 'S', 'B', 'O', 'W', '[', ']']
const ONE_OF_MANY = 'article, tr, li'
const PRESSED = 'button, a[href]'

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
  // A group gives the focus to the control that Tab would reach.
  const control = found.matches(PRESSED) ? found : found.querySelector<HTMLElement>('[tabindex="0"]')
  control?.focus()
  if (control === found) control.click()
  return control !== null
}
