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
let shown: readonly Shown[] = []
let last = 0
const watchers = new Set<() => void>()

function show(next: readonly Shown[]): void {
  shown = next
  for (const watcher of watchers) watcher()
}

/** Shows a message. Three at most are in sight: an older one makes room. */
export function notify(toast: Toast): void {
  const others = shown.filter((each) => toast.subject === undefined || each.subject !== toast.subject)
  last++
  show([...others, { ...toast, id: last }].slice(-MOST))
}

/** Takes the messages away that `matches` picks. */
export const dismiss = (matches: (toast: Shown) => boolean): void =>
  show(shown.filter((each) => !matches(each)))

/** The two functions by which a component follows the list. */
export const toastList = {
  subscribe: (watcher: () => void) => {
    watchers.add(watcher)
    return () => {
      watchers.delete(watcher)
    }
  },
  read: () => shown,
}
