import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react'
import {
  addLines,
  type CartChange,
  type CartLine,
  type GoneListing,
  healLines,
  linesIn,
  MOST_LINES,
  removeLines,
} from './cart-lines.ts'
import { store, storedJson } from './stored.ts'
import { notify } from './ui/toast-list.ts'
import { cart as words } from './words/cart.ts'

/** The listings that the visitor means to buy, kept in the browser until they are bought. */
interface Cart {
  lines: readonly CartLine[]
  has(inscriptionId: string): boolean
  toggle(line: CartLine): void
  add(lines: readonly CartLine[]): void
  remove(inscriptionIds: readonly string[]): void
  /** Takes out listings that are gone, and takes over new prices. Gives the changes. */
  heal(gone: readonly GoneListing[]): CartChange[]
  isOpen: boolean
  show(open: boolean): void
}

const CartContext = createContext<Cart | null>(null)
const KEY = 'cart'

export function CartProvider({ children }: { children: ReactNode }) {
  const [lines, setLines] = useState<readonly CartLine[]>(() => storedJson(KEY, linesIn) ?? [])
  const [isOpen, show] = useState(false)
  const change = useCallback((make: (lines: readonly CartLine[]) => readonly CartLine[]) => {
    setLines((before) => {
      const after = make(before)
      store(KEY, JSON.stringify(after))
      return after
    })
  }, [])
  const value = useMemo<Cart>(() => {
    const has = (id: string) => lines.some((line) => line.inscriptionId === id)
    const remove = (ids: readonly string[]) => change((before) => removeLines(before, ids))
    const add = (more: readonly CartLine[]) => {
      const fresh = more.filter((line) => !has(line.inscriptionId)).length
      if (lines.length + fresh > MOST_LINES)
        notify({ kind: 'note', title: words.full(MOST_LINES), subject: 'cart' })
      change((before) => addLines(before, more))
    }
    const heal = (gone: readonly GoneListing[]) => {
      const healed = healLines(lines, gone)
      if (healed.changes.length > 0) change((before) => healLines(before, gone).lines)
      return healed.changes
    }
    return {
      lines,
      has,
      remove,
      add,
      heal,
      toggle: (line) => (has(line.inscriptionId) ? remove([line.inscriptionId]) : add([line])),
      isOpen,
      show,
    }
  }, [lines, change, isOpen])
  return <CartContext.Provider value={value}>{children}</CartContext.Provider>
}

export function useCart(): Cart {
  const cart = useContext(CartContext)
  if (!cart) throw new Error('no CartProvider')
  return cart
}
