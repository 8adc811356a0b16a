import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Failed } from '../ui/basics.tsx'
import { failed } from '../words/errors.ts'

/** Stands in the place of a page that threw or whose code did not arrive; the frame around it stays. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  // A missing file of code cannot be asked for again within the same document.
  const isCode = /dynamically imported module|Importing a module|error loading/i.test(String(error))
  return (
    <Failed
      title={failed.page}
      error={isCode ? new Error(failed.newVersion) : error}
      again={() => {
        if (isCode) location.reload()
        else void router.invalidate().then(reset)
      }}
    />
  )
}
