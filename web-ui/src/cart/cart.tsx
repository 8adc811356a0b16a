import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import {
  addLines,
  CART,
  type CartChange,
  type CartLine,
  type GoneListing,
  healLines,
  linesIn,
  MAX_AT_ONCE,
  MAX_LINES,
  removeLines,
} from '../rules/cart-lines.ts'
import { store, storedJson } from '../state/stored.ts'
import { cart as words } from '../strings/cart.ts'
import { notify } from '../ui/messages/toast-list.ts'
import { cartIn } from '../wallet/carried-cart.ts'

export { type CartLine, MAX_AT_ONCE } from '../rules/cart-lines.ts'

/** Listings to buy, stored in the browser. */
interface Cart {
  lines: readonly CartLine[]
  has(inscriptionId: string): boolean
  toggle(line: CartLine): void
  add(lines: readonly CartLine[]): void
  remove(inscriptionIds: readonly string[]): void
  /** Removes unavailable listings, updates prices and adds `more`. */
  heal(gone: readonly GoneListing[], more: readonly CartLine[]): CartChange[]
  isOpen: boolean
  show(open: boolean): void
}

const CartContext = createContext<Cart | null>(null)

export function CartProvider({ children }: { children: ReactNode }) {
  const [lines, setLines] = useState<readonly CartLine[]>(() => storedJson(CART, linesIn) ?? [])
  const [isOpen, show] = useState(false)
  const change = useCallback((make: (lines: readonly CartLine[]) => readonly CartLine[]) => {
    setLines((before) => {
      const after = make(before)
      store(CART, JSON.stringify(after))
      return after
    })
  }, [])
  const value = useMemo<Cart>(() => {
    const has = (id: string) => lines.some((line) => line.inscriptionId === id)
    const remove = (ids: readonly string[]) => change((before) => removeLines(before, ids))
    const add = (more: readonly CartLine[]) => {
      const after = addLines(lines, more)
      const isLeftOut = ({ inscriptionId }: CartLine) =>
        !after.some((line) => line.inscriptionId === inscriptionId)
      if (more.some(isLeftOut))
        notify({
          kind: 'note',
          title: after.length < MAX_LINES ? words.fullPurchase(MAX_AT_ONCE) : words.full(MAX_LINES),
          subject: 'cart',
        })
      change((before) => addLines(before, more))
    }
    const heal = (gone: readonly GoneListing[], more: readonly CartLine[]) => {
      const healed = healLines(lines, gone)
      if (healed.changes.length > 0) change((before) => addLines(healLines(before, gone).lines, more))
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
  const { add } = value
  const carried = useRef(cartIn(location.hash))
  useEffect(() => {
    const ids = carried.current
    carried.current = null
    if (!ids) return
    history.replaceState(history.state, '', location.pathname + location.search)
    if (ids.length > 0)
      void import('./carried-lines.ts').then(async (code) => add(await code.carriedLines(ids)))
  }, [add])
  return <CartContext.Provider value={value}>{children}</CartContext.Provider>
}

export function useCart(): Cart {
  const cart = useContext(CartContext)
  if (!cart) throw new Error('no CartProvider')
  return cart
}
