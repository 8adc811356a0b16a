/** Bar with the actions of an item. On phones, it replaces the bottom bar. */
export const TRADE_BAR =
  'fixed inset-x-0 bottom-0 z-30 grid gap-2 border-t border-line bg-surface px-4 pt-3 pb-[calc(12px+env(safe-area-inset-bottom))] shadow-floating'
