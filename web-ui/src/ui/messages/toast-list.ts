import { createStore } from '../../state/create-store.ts'

export interface Toast {
  kind: 'good' | 'bad' | 'note'
  title: string
  text?: string
  links?: readonly { label: string; href: string }[]
  /** A later notification with this subject replaces it. */
  subject?: string
}
export type Shown = Toast & { id: number }

const MAX_TOASTS = 3
let last = 0

export const toasts = createStore<readonly Shown[]>([])

/** Shows a notification. At most three are visible. */
export function notify(toast: Toast): void {
  const others = toasts.get().filter((each) => toast.subject === undefined || each.subject !== toast.subject)
  last++
  toasts.set([...others, { ...toast, id: last }].slice(-MAX_TOASTS))
}

export const dismiss = (matches: (toast: Shown) => boolean): void =>
  toasts.set(toasts.get().filter((each) => !matches(each)))
