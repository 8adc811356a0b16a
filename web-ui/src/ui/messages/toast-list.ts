import { createStore } from '../../state/create-store.ts'

/** A message to the visitor about something that they did. */
export interface Toast {
  kind: 'good' | 'bad' | 'note'
  title: string
  text?: string
  links?: readonly { label: string; href: string }[]
  /** A later message about the same subject takes the place of this one. */
  subject?: string
}
export type Shown = Toast & { id: number }

const MOST = 3
let last = 0

export const toasts = createStore<readonly Shown[]>([])

/** Shows a message. Three at most are in sight: an older one makes room. */
export function notify(toast: Toast): void {
  const others = toasts.get().filter((each) => toast.subject === undefined || each.subject !== toast.subject)
  last++
  toasts.set([...others, { ...toast, id: last }].slice(-MOST))
}

/** Takes the messages away that `matches` picks. */
export const dismiss = (matches: (toast: Shown) => boolean): void =>
  toasts.set(toasts.get().filter((each) => !matches(each)))
