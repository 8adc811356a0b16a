import { loadPageAt } from './router.tsx'
import { afterPaint } from './ui/after-paint.ts'

/** The longest that the view in the document stays while the code of its page is on its way, in milliseconds. */
const LONGEST = 3000

/** Waits until the browser has drawn the view that the document came with, and the page that takes its place can be drawn at once. */
export async function firstViewShown(): Promise<void> {
  const drawn = new Promise<void>((done) => (document.hidden ? done() : afterPaint(done)))
  const late = new Promise<void>((done) => setTimeout(done, LONGEST))
  // A page that does not load says so itself.
  await Promise.race([Promise.all([drawn, loadPageAt(location.pathname).catch(() => {})]), late])
}
