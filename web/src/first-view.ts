import { loadPageAt } from './router.tsx'

/** Maximum duration of the first view, in milliseconds. */
const MAX_WAIT_MS = 3000

/** Resolves when the page can replace the first view without a flash. */
export async function pageReady(): Promise<void> {
  const timeout = new Promise<void>((done) => setTimeout(done, MAX_WAIT_MS))
  // The page shows an error if its code does not load.
  await Promise.race([loadPageAt(location.pathname).catch(() => {}), timeout])
}
