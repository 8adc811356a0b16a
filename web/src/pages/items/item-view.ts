import { store, stored } from '@ordbook/web-ui/state/stored.ts'
import { useState } from 'react'

export const ITEM_VIEWS = ['cards', 'dense', 'list'] as const
export type ItemView = (typeof ITEM_VIEWS)[number]

const KEPT_AS = 'item-view'

/** Returns the layout of items, stored in the browser. */
export function useItemView(): [ItemView, (next: ItemView) => void] {
  const [view, show] = useState<ItemView>(
    () => ITEM_VIEWS.find((each) => each === stored(KEPT_AS)) ?? 'cards',
  )
  const choose = (next: ItemView) => {
    store(KEPT_AS, next)
    show(next)
  }
  return [view, choose]
}
