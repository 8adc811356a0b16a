import { type RefObject, useLayoutEffect, useRef } from 'react'

const CONTROLS = 'a[href], button, input, select, summary'
/** Controls that use the up and down arrow keys themselves. A slider keeps left and right. */
const OWN_ARROWS = 'select, input[type=number]'
const TEXTS = 'input:not([type=checkbox])'

const controlsIn = (part: Element): HTMLElement[] =>
  part.matches(CONTROLS) ? [part as HTMLElement] : [...part.querySelectorAll<HTMLElement>(CONTROLS)]

/** Makes a group a single Tab stop with arrow keys between its controls or grid cells. */
export function useRoving<E extends HTMLElement>(kind: 'controls' | 'grid'): RefObject<E | null> {
  const ref = useRef<E>(null)
  useLayoutEffect(() => {
    const group = ref.current!
    let current: Element | null = null
    const parts = () => (kind === 'grid' ? [...group.children] : controlsIn(group))
    const updateTabIndexes = () => {
      const all = parts()
      if (!current || !group.contains(current)) current = all[0] ?? null
      for (const part of all) {
        const index = part === current ? 0 : -1
        for (const control of controlsIn(part)) if (control.tabIndex !== index) control.tabIndex = index
      }
    }
    const setCurrent = ({ target }: FocusEvent) => {
      const part = parts().find((each) => each.contains(target as Node))
      if (!part || part === current) return
      current = part
      updateTabIndexes()
    }
    const move = (event: KeyboardEvent) => {
      const target = event.target as Element
      if (event.altKey || event.ctrlKey || event.metaKey || target.matches(OWN_ARROWS)) return
      const all = parts()
      const step = kind === 'grid' ? gridStep(event.key, all) : (LINE_STEPS[event.key] ?? 0)
      if (step === 0 || (kind === 'grid' && target.matches(TEXTS))) return
      // Controls in a collapsed `details` cannot be focused.
      const open = kind === 'grid' ? all : all.filter((each) => each.checkVisibility())
      const next = open[open.findIndex((each) => each.contains(target)) + step]
      if (!next) return
      event.preventDefault()
      controlsIn(next)[0]?.focus()
    }
    const changed = new MutationObserver(updateTabIndexes)
    changed.observe(group, { childList: true, subtree: true })
    group.addEventListener('focusin', setCurrent)
    group.addEventListener('keydown', move)
    updateTabIndexes()
    return () => {
      changed.disconnect()
      group.removeEventListener('focusin', setCurrent)
      group.removeEventListener('keydown', move)
    }
  }, [kind])
  return ref
}

const LINE_STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }

/** Returns how many cells an arrow key moves, or 0. */
function gridStep(key: string, cells: readonly Element[]): number {
  if (key === 'ArrowRight') return 1
  if (key === 'ArrowLeft') return -1
  const top = cells[0]?.getBoundingClientRect().top
  const columns = cells.findIndex((cell) => cell.getBoundingClientRect().top !== top)
  return (LINE_STEPS[key] ?? 0) * (columns === -1 ? cells.length : columns)
}
