/** Single-key shortcuts. Controls declare their key in `aria-keyshortcuts`. */
const KEYS = ['F', 'S', 'B', 'O', 'W', '[', ']']
const ONE_OF_MANY = 'article, tr, li'
const PRESSED = 'button, a[href]'
const CONTROLS = 'a[href], button, input, select, summary'

/** Activates the control of a shortcut, preferably in the focused card or row. Returns false if there is none. */
export function pressKey(typed: string): boolean {
  const key = typed.toUpperCase()
  if (!KEYS.includes(key)) return false
  const all = [...document.querySelectorAll<HTMLElement>(`[aria-keyshortcuts="${key}"]`)].filter(
    (each) => each.checkVisibility() && !each.matches(':disabled'),
  )
  const group = document.activeElement?.closest(ONE_OF_MANY)
  const found = all.find((each) => group?.contains(each)) ?? all.find((each) => !each.closest(ONE_OF_MANY))
  if (!found) return false
  if (found.matches(PRESSED)) {
    found.focus()
    found.click()
  }
  // For a group, focus the control that Tab would reach.
  else [...found.querySelectorAll<HTMLElement>(CONTROLS)].find((each) => each.tabIndex === 0)?.focus()
  return true
}
