import { loadPageAt } from './router.tsx'

/** Maximum time, in milliseconds, that the first view stays while the code of the page loads. */
const MAX_WAIT_MS = 3000

/** Resolves when the page can replace the first view without a flash, or after `MAX_WAIT_MS`. */
export async function pageReady(): Promise<void> {
  const timeout = new Promise<void>((done) => setTimeout(done, MAX_WAIT_MS))
  // If the code does not load, the page shows an error.
  await Promise.race([loadPageAt(location.pathname).catch(() => {}), timeout])
}
