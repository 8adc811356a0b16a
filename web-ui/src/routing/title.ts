import { useEffect } from 'react'

/** Sets the document's title; undefined keeps the current one. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title) document.title = title
  }, [title])
}
