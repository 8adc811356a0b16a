import { loadPageAt } from './router.tsx'

/** The longest that the view in the document stays while the code of its page is on its way, in milliseconds. */
const LONGEST = 3000

/** Waits until the page that takes the place of the document's view can be drawn at once. */
export async function pageReady(): Promise<void> {
  const late = new Promise<void>((done) => setTimeout(done, LONGEST))
  // A page that does not load says so itself.
  await Promise.race([loadPageAt(location.pathname).catch(() => {}), late])
}
