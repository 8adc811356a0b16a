import { useEffect } from 'react'

let current = document.title
let unreadCount = 0

function show(): void {
  document.title = unreadCount > 0 ? `(${unreadCount}) ${current}` : current
}

/** Sets the document title, unless it is undefined. The number of unread events precedes it. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (!title) return
    current = title
    show()
  }, [title])
}

/** Shows the number of unread events in the title. */
export function useUnreadInTitle(count: number): void {
  useEffect(() => {
    unreadCount = count
    show()
  }, [count])
}
