import { useEffect } from 'react'

/** Sets the document title, unless it is undefined. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title) document.title = title
  }, [title])
}
