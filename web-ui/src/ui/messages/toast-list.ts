import { createStore } from '../../state/create-store.ts'

/** A notification about an action of the visitor. */
export interface Toast {
  kind: 'good' | 'bad' | 'note'
  title: string
  text?: string
  links?: readonly { label: string; href: string }[]
  /** A later notification with the same subject replaces this one. */
  subject?: string
}
export type Shown = Toast & { id: number }

const MOST = 3
let last = 0

export const toasts = createStore<readonly Shown[]>([])

/** Shows a notification. At most three are visible; the oldest is dropped. */
export function notify(toast: Toast): void {
  const others = toasts.get().filter((each) => toast.subject === undefined || each.subject !== toast.subject)
  last++
  toasts.set([...others, { ...toast, id: last }].slice(-MOST))
}

/** Removes the notifications for which `matches` returns true. */
export const dismiss = (matches: (toast: Shown) => boolean): void =>
  toasts.set(toasts.get().filter((each) => !matches(each)))
