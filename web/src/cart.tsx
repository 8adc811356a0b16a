import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react'
import { store, storedJson } from './stored.ts'

/** What somebody means to buy, kept in the browser until it is bought. */
export interface CartLine {
  inscriptionId: string
  listingId: string
  slug: string
  name: string
  priceSats: number
  contentType: string | null
}

interface Cart {
  lines: readonly CartLine[]
  has(inscriptionId: string): boolean
  toggle(line: CartLine): void
  add(lines: readonly CartLine[]): void
  remove(inscriptionIds: readonly string[]): void
  isOpen: boolean
  show(open: boolean): void
}

const CartContext = createContext<Cart | null>(null)
const KEY = 'cart'
const MOST = 60

export function CartProvider({ children }: { children: ReactNode }) {
  const [lines, setLines] = useState<readonly CartLine[]>(() => storedJson(KEY, []))
  const [isOpen, show] = useState(false)
  const change = useCallback((make: (lines: readonly CartLine[]) => readonly CartLine[]) => {
    setLines((before) => {
      const after = make(before).slice(0, MOST)
      store(KEY, JSON.stringify(after))
      return after
    })
  }, [])
  const value = useMemo<Cart>(() => {
    const has = (id: string) => lines.some((line) => line.inscriptionId === id)
    const remove = (ids: readonly string[]) =>
      change((before) => before.filter((line) => !ids.includes(line.inscriptionId)))
    const add = (more: readonly CartLine[]) =>
      change((before) => [
        ...before.filter((line) => !more.some((each) => each.inscriptionId === line.inscriptionId)),
        ...more,
      ])
    return {
      lines,
      has,
      remove,
      add,
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
