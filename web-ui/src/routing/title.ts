import { useEffect } from 'react'

/** Names the page in the browser's tab and history; undefined leaves the name that it has. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title) document.title = title
  }, [title])
}
