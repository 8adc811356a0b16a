import { useEffect, useState } from 'react'
import { failed } from '../strings/errors.ts'
import { Failed } from './basics.tsx'

const POLL_MILLISECONDS = 3000
const DEADLINE_MILLISECONDS = 5000
/** Minimum time between two automatic reloads of a tab, in milliseconds. */
const RELOAD_AGAIN_AFTER = 60_000
const RELOADED_AT = 'reloaded-at'

/** Returns true if an error means that code of the page did not load. */
export const isCodeError = (error: unknown): boolean =>
  /dynamically imported module|Importing a module|error loading/i.test(String(error))

/** Code of the page did not load. Loads the page again once the market responds, unless the market has another version. */
export function CodeFailed({ title }: { title: string }) {
  const [state, setState] = useState<'unreachable' | 'outdated'>('unreachable')
  useEffect(() => {
    if (state === 'outdated') return
    const timer = setInterval(async () => {
      const isCurrent = await findCurrent()
      if (isCurrent === false) setState('outdated')
      else if (isCurrent && mayReload()) location.reload()
    }, POLL_MILLISECONDS)
    return () => clearInterval(timer)
  }, [state])
  return (
    <Failed
      title={state === 'outdated' ? failed.outdated : title}
      error={new Error(state === 'outdated' ? failed.newVersion : failed.loadsAgain)}
      again={() => location.reload()}
    />
  )
}

/** Returns whether the market serves the version of this page; null if it does not respond. */
async function findCurrent(): Promise<boolean | null> {
  const entry = document.querySelector('link[data-rel=modulepreload]')?.getAttribute('href')
  try {
    const response = await fetch('/', {
      headers: { accept: 'text/html' },
      signal: AbortSignal.timeout(DEADLINE_MILLISECONDS),
    })
    return response.ok ? !entry || (await response.text()).includes(`"${entry}"`) : null
  } catch {
    return null
  }
}

/** A page whose code is broken must not reload forever. */
function mayReload(): boolean {
  try {
    const last = Number(sessionStorage.getItem(RELOADED_AT))
    if (Date.now() - last < RELOAD_AGAIN_AFTER) return false
    sessionStorage.setItem(RELOADED_AT, String(Date.now()))
    return true
  } catch {
    return false
  }
}
