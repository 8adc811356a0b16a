import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react'
import { addLines, type CartLine, linesIn, removeLines } from './cart-lines.ts'
import { store, storedJson } from './stored.ts'

/** The listings that the visitor means to buy, kept in the browser until they are bought. */
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
    const add = (more: readonly CartLine[]) => change((before) => addLines(before, more))
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
