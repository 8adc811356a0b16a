import { KEPT, stored } from '@ordbook/web-ui/state/stored.ts'
import { useEffect } from 'react'
import { pressKey } from './press-key.ts'
import { loadPalette } from './search-button.tsx'

const FIELDS = 'input, select, textarea, [contenteditable]'

/** Global shortcuts, off while a dialog is open. In fields, only shortcuts with Ctrl or Cmd work. */
export function useKeys(open: (what: 'search' | 'keys') => void): void {
  useEffect(() => {
    let isGoing = false
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event
      const wasGoing = isGoing
      isGoing = false
      if (altKey || document.querySelector('dialog[open]')) return
      if ((ctrlKey || metaKey) && key.toLowerCase() === 'k') {
        event.preventDefault()
        open('search')
      }
      if (ctrlKey || metaKey || (target as Element).matches(FIELDS) || stored(KEPT.keys) === 'off') return
      if (wasGoing)
        void loadPalette().then(
          ({ goByKey }) => goByKey(key),
          () => {},
        )
      else if (key === '/') {
        event.preventDefault()
        open('search')
      } else if (key === '?') open('keys')
      else if (pressKey(key)) event.preventDefault()
      else isGoing = key === 'g'
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [open])
}
