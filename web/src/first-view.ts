import { loadPageAt } from './router.tsx'

/** Maximum time, in milliseconds, that the document's first view stays while the page's code loads. */
const LONGEST = 3000

/** Resolves when the page can replace the document's first view without a flash, or after `LONGEST`. */
export async function pageReady(): Promise<void> {
  const late = new Promise<void>((done) => setTimeout(done, LONGEST))
  // The page shows its own error if its code does not load.
  await Promise.race([loadPageAt(location.pathname).catch(() => {}), late])
}
